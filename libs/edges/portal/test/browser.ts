import { randomInt } from 'node:crypto';
import { type FakeIssuer } from './fake-issuer.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The address to which the answer leads; empty if it leads nowhere. */
  readonly location: string;
}

interface Sent {
  readonly fields?: Readonly<Record<string, string>> | readonly [string, string][];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * As much of a browser as sessions need. It keeps cookies and says where a form comes from. It follows a redirect only
 * when the test asks it to.
 */
export class Browser {
  readonly cookies = new Map<string, string>();

  constructor(
    readonly origin: string,
    private readonly issuer: FakeIssuer,
    /** Each browser is a source of its own, so that no limit counts those of other tests. */
    readonly address = `198.51.${randomInt(256)}.${randomInt(256)}`,
  ) {}

  get(target: string, { headers = {} }: Sent = {}): Promise<Answer> {
    return this.#ask(target, { headers });
  }

  post(target: string, { fields = {}, headers = {} }: Sent = {}): Promise<Answer> {
    return this.#ask(target, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
    });
  }

  /** Sends a form with a file. */
  upload(target: string, form: FormData): Promise<Answer> {
    return this.#ask(target, {
      method: 'POST',
      body: form,
      headers: { 'sec-fetch-site': 'same-origin' },
    });
  }

  /** Sends a form of ours with the token of the session's pages. */
  async submit(target: string, fields: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.post(target, { fields: { form_token: await this.formToken(), ...fields } });
  }

  async formToken(): Promise<string> {
    const { text } = await this.get('/portal/desk');
    return /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  }

  /**
   * Goes to the issuer and back.
   * @returns the answer of the callback
   */
  async signIn(
    who: Parameters<FakeIssuer['approve']>[1] = {},
    back = '/portal/desk',
  ): Promise<Answer> {
    const { location } = await this.get(`/portal/sign-in?back=${encodeURIComponent(back)}`);
    return this.get(this.issuer.approve(location, who));
  }

  async #ask(target: string, init: RequestInit): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(target, this.origin), {
      ...init,
      redirect: 'manual',
      headers: {
        ...(init.headers as Record<string, string>),
        cookie,
        'x-forwarded-for': this.address,
      },
    });
    for (const set of response.headers.getSetCookie()) this.#keep(set);
    const { status, headers } = response;
    const text = await response.text();
    return { status, headers, text, location: headers.get('location') ?? '' };
  }

  #keep(set: string): void {
    const [pair = '', ...attributes] = set.split('; ');
    const equals = pair.indexOf('=');
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
