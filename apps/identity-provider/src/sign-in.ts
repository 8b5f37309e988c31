import { type IncomingMessage, type ServerResponse } from 'node:http';
import { isPassword } from '#shared/signing';
import { type Provider } from 'oidc-provider';
import { Attempts } from './attempts.js';
import { messagePage, signInPage } from './pages.js';
import { type DemoPerson } from './settings.js';

/** Failed sign-ins: of one login, and of one address whatever the login. */
const perLogin = { max: 5, windowMs: 60_000 };
const perAddress = { max: 30, windowMs: 60_000 };
const maxBodyBytes = 4096;
/** A demo's people have a password and nothing stronger: no proof that withstands a page in between is claimed. */
const how = { acr: 'pwd', amr: ['pwd'] };

/** Where a sign-in stands: `/interaction/<id>`, and what its forms send. */
const route = /^\/interaction\/[\w-]{1,64}(?<abort>\/abort)?$/;

/** The form with login and password, and what it leads to. */
export class SignIn {
  private readonly byLogin: Attempts;
  private readonly byAddress: Attempts;

  constructor(
    private readonly provider: Provider,
    private readonly people: ReadonlyMap<string, DemoPerson>,
    nowMs: () => number = () => performance.now(),
  ) {
    this.byLogin = new Attempts(perLogin, nowMs);
    this.byAddress = new Attempts(perAddress, nowMs);
  }

  /** @returns false where the address is another part's */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const match = route.exec(request.url ?? '');
    if (!match) return false;
    // Only the browser that began it has its cookie.
    const begun = await this.provider.interactionDetails(request, response).catch(() => undefined);
    const isAborted = match.groups?.['abort'] !== undefined;
    if (!begun) send(response, 400, messagePage('This sign-in is over', tooLate));
    else if (request.method === 'GET' && !isAborted) send(response, 200, this.form(request, begun));
    else if (request.method !== 'POST') response.writeHead(405, { Allow: 'GET, POST' }).end();
    else if (isAborted) await this.finish(request, response, { error: 'access_denied' });
    else await this.take(request, response, begun);
    return true;
  }

  private form({ url = '' }: IncomingMessage, { session }: Begun, more: object = {}): string {
    return signInPage({ action: url, isAnew: session !== undefined, ...more });
  }

  private async take(
    request: IncomingMessage,
    response: ServerResponse,
    begun: Begun,
  ): Promise<void> {
    const sent = await readForm(request);
    if (!sent) {
      send(response, 413, messagePage('Too much was sent', tooLate));
      return;
    }
    const [login, password] = [sent.get('login')?.trim() ?? '', sent.get('password') ?? ''];
    const address = request.socket.remoteAddress ?? '';
    const mayTry = this.byAddress.take(address) && this.byLogin.take(login);
    if (!mayTry) {
      response.setHeader('Retry-After', String(perLogin.windowMs / 1000));
      const problem = 'Too many attempts. Wait a minute, then try again.';
      send(response, 429, this.form(request, begun, { login, problem }));
      return;
    }
    const person = this.people.get(login);
    if (!(await isPassword(password, person?.password_hash)) || !person) {
      const problem = 'Login or password is wrong.';
      send(response, 401, this.form(request, begun, { login, problem }));
      return;
    }
    this.byLogin.forget(login);
    await this.finish(request, response, { login: { accountId: person.subject, ...how } });
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

const tooLate = 'Go back to where you came from and begin anew.';

/** @returns undefined where it is larger than any form of ours */
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
