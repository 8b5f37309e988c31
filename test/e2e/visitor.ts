import { setTimeout as sleep } from 'node:timers/promises';

/** A page as a visitor without a script sees it. */
export interface Seen {
  readonly status: number;
  readonly url: string;
  readonly text: string;
}

/** The input of one of the demo's people in the identity provider's form. */
export interface Form {
  readonly login: string;
  readonly password: string;
}

/** A browser without a script: it keeps each site's cookies and follows redirects. */
class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  async open(url: string, body?: Readonly<Record<string, string>>): Promise<Seen> {
    const { origin } = new URL(url);
    const own = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, own);
    const cookie = [...own].map((pair) => pair.join('=')).join('; ');
    const sent = body && { method: 'POST', body: new URLSearchParams(body) };
    const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...sent });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      own.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location !== null) return this.open(new URL(location, url).href);
    return { status: response.status, url: response.url, text: await response.text() };
  }
}

/** Opens the portal and fills in the form that it leads to. */
export async function signIn(portal: string, { login, password }: Form): Promise<Seen> {
  const visitor = new Visitor();
  const { url } = await visitor.open(portal);
  return visitor.open(url, { login, password });
}

/**
 * Confirms the code that a command line shows, as this person.
 * @param told the line of `npx pesapost login`
 */
export async function confirmCode(told: string, { login, password }: Form): Promise<Seen> {
  const [, address = '', user_code = ''] = /open (\S+) and type the code (\S+)/.exec(told) ?? [];
  const visitor = new Visitor();
  const { text } = await visitor.open(address);
  const xsrf = /name="xsrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
  const { url } = await visitor.open(address, { xsrf, user_code, confirm: 'yes' });
  // A person takes a second; by whole seconds, a quicker proof may look older than the way to it (PEO-50).
  await sleep(1100);
  return visitor.open(url, { login, password });
}
