import { type IncomingMessage, type ServerResponse } from 'node:http';
import { isPassword } from '#shared/signing';
import { LRUCache } from 'lru-cache';
import { type Provider } from 'oidc-provider';
import { Attempts } from './attempts.js';
import { Ceremonies } from './ceremonies.js';
import { messagePage, newPasskeyPage, type SignInForm, signInPage } from './pages.js';
import { type Passkeys } from './passkeys.js';
import { type DemoPerson } from './settings.js';
import { type Said, saidIn } from './texts.js';

/** Limits of failed sign-ins for one login, and for one address with any login. */
const perLogin = { max: 5, windowMs: 60_000 };
const perAddress = { max: 30, windowMs: 60_000 };
const maxBodyBytes = 16 * 1024;
/** Limits for people between a sign-in and their new passkey. */
const beforePasskey = { max: 1000, ttl: 5 * 60_000 };

/** A passkey whose device verified its person. No page in between can relay it (OpenID's EAP ACR values). */
const byPasskey = { acr: 'phr', amr: ['swk', 'user'] };
/** The strongest proof of a person without a passkey. */
const byPassword = { acr: 'pwd', amr: ['pwd'] };
/**
 * A password of a person who has a passkey. It is no proof for actions that are worth money, whatever the client asked
 * for (OpenID Connect Core, section 2).
 */
const lessThanCould = { acr: '0', amr: ['pwd'] };

/** The path of a sign-in, `/interaction/<id>`, and the steps that its forms send. */
const route = /^\/interaction\/[\w-]{1,64}(?<step>\/abort|\/passkey)?$/;

/** The signed-in person and the kind of proof. */
interface Proved {
  readonly person: DemoPerson;
  readonly how: typeof byPasskey | typeof byPassword | typeof lessThanCould;
}

/** The answer to a failed sign-in. */
interface Refused {
  readonly status: number;
  readonly problem: string;
}

/** The form with login and password, the passkeys, and the steps after them. */
export class SignIn {
  private readonly byLogin: Attempts;
  private readonly byAddress: Attempts;
  private readonly ceremonies: Ceremonies;
  private readonly byLoginName: ReadonlyMap<string, DemoPerson>;
  /** People who have signed in and may add a passkey before they go on. */
  private readonly waiting = new LRUCache<string, Proved>(beforePasskey);

  constructor(
    private readonly provider: Provider,
    private readonly people: readonly DemoPerson[],
    private readonly passkeys: Passkeys,
    nowMs: () => number = () => performance.now(),
  ) {
    this.byLogin = new Attempts(perLogin, nowMs);
    this.byAddress = new Attempts(perAddress, nowMs);
    this.ceremonies = new Ceremonies(passkeys, provider.issuer);
    this.byLoginName = new Map(people.map((person) => [person.login, person]));
  }

  /** @returns false if the path belongs to another part */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const match = route.exec(request.url ?? '');
    if (!match) return false;
    // Only the browser that began the sign-in has its cookie.
    const begun = await this.provider.interactionDetails(request, response).catch(() => undefined);
    const step = match.groups?.['step'];
    const said = saidIn(begun?.params['ui_locales'], request.headers['accept-language']);
    const { texts } = said;
    if (!begun) send(response, 400, messagePage(said, texts.over, texts.tooLate));
    else if (request.method === 'GET' && step === undefined)
      send(response, 200, await this.form(begun, said));
    else if (request.method !== 'POST') response.writeHead(405, { Allow: 'GET, POST' }).end();
    else if (step === '/abort') await this.finish(request, response, { error: 'access_denied' });
    else {
      const sent = await readForm(request);
      if (!sent) send(response, 413, messagePage(said, texts.tooLarge, texts.tooLate));
      else if (step === '/passkey') await this.register({ request, response, begun, said, sent });
      else await this.take({ request, response, begun, said, sent });
    }
    return true;
  }

  private async form(begun: Begun, said: Said, more: Partial<SignInForm> = {}): Promise<string> {
    const own = begun.session && this.passkeys.of(begun.session.accountId);
    const isPasskeyWanted = own !== undefined && own.length > 0 && wantsPasskey(begun);
    const options = this.passkeys.isEmpty
      ? undefined
      : await this.ceremonies.request(begun.uid, isPasskeyWanted ? own : undefined);
    return signInPage(said, {
      action: `/interaction/${begun.uid}`,
      isAnew: begun.session !== undefined,
      options,
      isPasskeyWanted,
      ...more,
    });
  }

  private async take(asked: Asked): Promise<void> {
    const { request, response, begun, said, sent } = asked;
    const credential = sent.get('credential') ?? '';
    const proved =
      credential === '' ? await this.password(asked) : await this.passkey(asked, credential);
    if ('status' in proved) {
      const { status, problem } = proved;
      if (status === 429) response.setHeader('Retry-After', String(perLogin.windowMs / 1000));
      const login = sent.get('login')?.trim() ?? '';
      send(response, status, await this.form(begun, said, { login, problem }));
    } else if (sent.get('add_passkey') === 'yes' && proved.how !== lessThanCould) {
      this.waiting.set(begun.uid, proved);
      await this.offerPasskey(asked, proved);
    } else await this.enter(request, response, proved);
  }

  private async password({ request, begun, said, sent }: Asked): Promise<Proved | Refused> {
    const { texts } = said;
    const [login, password] = [sent.get('login')?.trim() ?? '', sent.get('password') ?? ''];
    const mayTry = this.mayTry(request) && this.byLogin.take(login);
    if (!mayTry) return { status: 429, problem: texts.tooMany };
    const person = this.byLoginName.get(login);
    if (!(await isPassword(password, person?.password_hash)) || !person)
      return { status: 401, problem: texts.wrongPassword };
    this.byLogin.forget(login);
    if (this.passkeys.of(person.subject).length === 0) return { person, how: byPassword };
    if (wantsPasskey(begun)) return { status: 401, problem: texts.passkeyInstead };
    return { person, how: lessThanCould };
  }

  private async passkey(
    { request, begun, said: { texts } }: Asked,
    credential: string,
  ): Promise<Proved | Refused> {
    if (!this.mayTry(request)) return { status: 429, problem: texts.tooMany };
    const subject = await this.ceremonies.signedBy(begun.uid, credential);
    const person = this.people.find((each) => each.subject === subject);
    return person ? { person, how: byPasskey } : { status: 401, problem: texts.wrongPasskey };
  }

  private mayTry({ socket }: IncomingMessage): boolean {
    return this.byAddress.take(socket.remoteAddress ?? '');
  }

  /** Stores the passkey that the person's browser created, or goes on without one. */
  private async register(asked: Asked): Promise<void> {
    const { request, response, begun, said, sent } = asked;
    const proved = this.waiting.get(begun.uid);
    if (!proved) {
      send(response, 400, messagePage(said, said.texts.over, said.texts.tooLate));
      return;
    }
    const credential = sent.get('credential') ?? '';
    const isDone =
      credential === '' || (await this.ceremonies.register(begun.uid, proved.person, credential));
    if (!isDone) {
      await this.offerPasskey(asked, proved, said.texts.notAdded);
      return;
    }
    this.waiting.delete(begun.uid);
    await this.enter(request, response, proved);
  }

  private async offerPasskey(
    { response, begun, said }: Asked,
    { person }: Proved,
    problem?: string,
  ): Promise<void> {
    const action = `/interaction/${begun.uid}`;
    const options = await this.ceremonies.creation(begun.uid, person);
    const page = newPasskeyPage(said, {
      action,
      options,
      ...(problem !== undefined && { problem }),
    });
    send(response, problem === undefined ? 200 : 400, page);
  }

  private enter(request: IncomingMessage, response: ServerResponse, { person, how }: Proved) {
    const login = { accountId: person.subject, acr: how.acr, amr: [...how.amr] };
    return this.finish(request, response, { login });
  }

  private async finish(
    request: IncomingMessage,
    response: ServerResponse,
    result: Parameters<Provider['interactionFinished']>[2],
  ): Promise<void> {
    await this.provider.interactionFinished(request, response, result, {
      mergeWithLastSubmission: false,
    });
  }
}

type Begun = Awaited<ReturnType<Provider['interactionDetails']>>;

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly begun: Begun;
  readonly said: Said;
  readonly sent: URLSearchParams;
}

/** True if the client accepts a passkey as the proof of presence. */
function wantsPasskey({ params }: Begun): boolean {
  const { acr_values: wanted } = params;
  return typeof wanted === 'string' && wanted.split(' ').includes(byPasskey.acr);
}

/** @returns undefined if the body is larger than any of our forms */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    if (text.length > maxBodyBytes) return undefined;
  }
  return new URLSearchParams(text);
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(body);
}
