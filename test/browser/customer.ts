import { setTimeout as sleep } from 'node:timers/promises';

export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const deadlineMs = 60_000;

/** A customer with a browser that supports only cookies and forms. */
export class Customer {
  token = '';
  private readonly jar = new Map<string, string>();
  private attempt = '1';

  constructor(readonly link: string) {}

  /** The cookies, as the next request sends them. */
  get cookie(): string {
    return [...this.jar].map((pair) => pair.join('=')).join('; ');
  }

  async get(headers: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    return this.read(
      await fetch(this.link, { headers: { ...headers, cookie: this.cookie }, redirect: 'manual' }),
    );
  }

  /** Posts the form of the page that was read last; `fields` and `cookie` replace its values. */
  async post(fields: Readonly<Record<string, string>>, cookie = this.cookie): Promise<PageAnswer> {
    const form = { token: this.token, attempt: this.attempt, ...fields };
    return this.read(
      await fetch(this.link, {
        method: 'POST',
        body: new URLSearchParams(form).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
        redirect: 'manual',
      }),
      cookie === this.cookie && fields['token'] === undefined,
    );
  }

  /** Opens the link, and pays from this number. @throws Error if the form was not accepted */
  async pay(phone: string): Promise<void> {
    await this.get();
    const { status, text } = await this.post({ phone });
    if (status !== 303) throw new Error(`the form was answered ${status}: ${text}`);
  }

  /** Reloads the link until it shows this state. */
  async until(state: string): Promise<PageAnswer> {
    for (const end = performance.now() + deadlineMs; ;) {
      const answer = await this.get();
      if (answer.headers.get('checkout-state') === state) return answer;
      if (performance.now() > end)
        throw new Error(`not ${state} but ${String(answer.headers.get('checkout-state'))}`);
      await sleep(50);
    }
  }

  private async read(response: Response, remembers = true): Promise<PageAnswer> {
    const { status, headers } = response;
    const text = await response.text();
    if (remembers) {
      for (const cookie of headers.getSetCookie()) this.keep(cookie);
      this.token = /name="token" value="([^"]*)"/.exec(text)?.[1] ?? this.token;
      this.attempt = /name="attempt" value="([^"]*)"/.exec(text)?.[1] ?? this.attempt;
    }
    return { status, headers, text };
  }

  private keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
    if (/; Max-Age=0(;|$)/.test(cookie)) this.jar.delete(name);
    else this.jar.set(name, value);
  }
}
