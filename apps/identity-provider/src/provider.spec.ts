import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashPassword } from '#shared/signing';
import * as oidc from 'openid-client';
import { Passkeys } from './passkeys.js';
import { commandLineClient, identityProvider, portalClient } from './provider.js';
import { issuerOf, readSettings, type Settings } from './settings.js';

const portalUrl = 'http://localhost:8080';
const callback = `${portalUrl}/portal/callback`;
const signedOut = `${portalUrl}/portal/signed-out`;
const password = 'tamu sana';

/** The library compares with this very function. */
function plainHttp(): (configuration: oidc.Configuration) => void {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so to stand out; this is loopback
  return oidc.allowInsecureRequests;
}

/** Follows the provider's redirects like a browser, with its cookies, and stops when a redirect leads elsewhere. */
class Browser {
  readonly #cookies = new Map<string, string>();

  constructor(private readonly issuer: string) {}

  async open(url: string | URL, form?: Readonly<Record<string, string>>): Promise<Seen> {
    let [next, body] = [new URL(url, this.issuer), form];
    for (let hops = 0; hops < 10; hops += 1) {
      const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
      const response = await fetch(next, {
        redirect: 'manual',
        headers: { cookie },
        ...(body && { method: 'POST', body: new URLSearchParams(body) }),
      });
      for (const set of response.headers.getSetCookie()) {
        const [name = '', value = ''] = set.split(';')[0]?.split('=', 2) ?? [];
        if (value === '') this.#cookies.delete(name);
        else this.#cookies.set(name, value);
      }
      const location = response.headers.get('location');
      const text = await response.text();
      if (location === null) return { url: next, status: response.status, text, response };
      [next, body] = [new URL(location, next), undefined];
      if (next.origin !== this.issuer)
        return { url: next, status: response.status, text, response };
    }
    throw new Error('led in a circle');
  }

  signIn(seen: Seen, login = 'amina', secret = password): Promise<Seen> {
    return this.open(seen.url, { login, password: secret });
  }
}

interface Seen {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
  readonly response: Response;
}

let kept: Omit<Settings, 'port' | 'passkeysFile'>;
beforeAll(async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const password_hash = await hashPassword(password);
  kept = {
    portalUrl,
    client_secret: randomBytes(32).toString('base64url'),
    cookie_key: randomBytes(32).toString('base64url'),
    signing_key: { ...privateKey.export({ format: 'jwk' }), kid: 'k1' } as Settings['signing_key'],
    people: [
      { subject: 'subject-1', login: 'amina', name: 'Amina <b>Y</b>', password_hash },
      { subject: 'subject-2', login: 'joseph', name: 'Joseph O', password_hash },
    ],
  };
});

describe('the demo’s identity provider', () => {
  let server: Server;
  let issuer: string;
  let nowMs: number;
  let browser: Browser;
  let client: oidc.Configuration;
  let directory: string;
  let passkeys: Passkeys;

  beforeEach(async () => {
    nowMs = 0;
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    directory = await mkdtemp(join(tmpdir(), 'pesapost-passkeys-'));
    const passkeysFile = join(directory, 'passkeys.json');
    passkeys = await Passkeys.open(passkeysFile);
    server.on(
      'request',
      identityProvider({ ...kept, port, passkeysFile }, passkeys, () => nowMs),
    );
    issuer = issuerOf({ port });
    browser = new Browser(issuer);
    client = await oidc.discovery(
      new URL(issuer),
      portalClient,
      {},
      oidc.ClientSecretBasic(kept.client_secret),
      { execute: [plainHttp()] },
    );
    oidc.enableNonRepudiationChecks(client);
  });
  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    await rm(directory, { recursive: true, force: true });
  });

  const verifier = oidc.randomPKCECodeVerifier();
  const asked = async (more: Record<string, string> = {}): Promise<URL> =>
    oidc.buildAuthorizationUrl(client, {
      redirect_uri: callback,
      scope: 'openid profile',
      state: 's1',
      nonce: 'n1',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...more,
    });
  const exchanged = async (url: URL, more: object = {}) =>
    oidc.authorizationCodeGrant(client, url, {
      expectedState: 's1',
      expectedNonce: 'n1',
      pkceCodeVerifier: verifier,
      ...more,
    });

  it('signs a person in with a form that needs no script, and says who it is and when', async () => {
    const form = await browser.open(await asked());
    expect(form.status).toBe(200);
    expect((await browser.open(form.url, { login: 'a'.repeat(20_000) })).status).toBe(413);
    expect(form.text).toMatch(/<label for="login">.*<input[^>]*\bname="login"/s);
    expect(form.text).toMatch(/<label for="password">.*<input[^>]*\bname="password"/s);
    expect(form.text).not.toContain('Use a passkey');
    const { url } = await browser.signIn(form);
    expect(url.href).toMatch(`${callback}?`);
    const tokens = await exchanged(url, { maxAge: 60 });
    expect(tokens.claims()).toMatchObject({
      iss: issuer,
      sub: 'subject-1',
      aud: portalClient,
      name: 'Amina <b>Y</b>',
      acr: 'pwd',
      auth_time: expect.any(Number),
    });
    expect(tokens.refresh_token).toBeUndefined();
  });

  it('remembers who is signed in, until it must see the person again', async () => {
    await browser.signIn(await browser.open(await asked()));
    const again = await browser.open(await asked());
    expect(again.url.href).toMatch(`${callback}?`);
    const anew = await browser.open(await asked({ prompt: 'login', max_age: '0' }));
    expect(anew.text).toContain('Verify it’s you');
    const { url } = await browser.signIn(anew);
    const { auth_time: at = 0, iat } = (await exchanged(url)).claims() ?? { iat: 0 };
    expect(iat - at).toBeLessThan(30);
  });

  it('rejects a wrong password, and escapes what was typed', async () => {
    const form = await browser.open(await asked());
    const refused = await browser.signIn(form, '"><script>alert(1)</script>', 'x');
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('role="alert"');
    expect(refused.text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect((await browser.signIn(form, 'amina', 'x')).status).toBe(401);
    expect((await browser.signIn(form)).url.href).toMatch(`${callback}?`);
  });

  it('limits failed sign-ins of one login for a minute, and does not block other people', async () => {
    const form = await browser.open(await asked());
    for (let tries = 0; tries < 5; tries += 1) await browser.signIn(form, 'amina', 'x');
    const refused = await browser.signIn(form);
    expect([refused.status, refused.response.headers.get('retry-after')]).toEqual([429, '60']);
    const other = new Browser(issuer);
    const { url } = await other.signIn(await other.open(await asked()), 'joseph');
    expect((await exchanged(url)).claims()?.sub).toBe('subject-2');
    nowMs += 60_000;
    expect((await browser.signIn(form)).url.href).toMatch(`${callback}?`);
  });

  it('limits guesses from one address over all logins', async () => {
    const form = await browser.open(await asked());
    const statuses = [];
    for (let tries = 0; tries < 31; tries += 1)
      statuses.push((await browser.signIn(form, `login ${tries}`, 'x')).status);
    expect(new Set(statuses.slice(0, 30))).toEqual(new Set([401]));
    expect(statuses.at(-1)).toBe(429);
  });

  it('accepts a sign-in only from the browser that began it', async () => {
    const form = await browser.open(await asked());
    const other = new Browser(issuer);
    expect((await other.open(form.url)).status).toBe(400);
    expect((await other.signIn(form)).status).toBe(400);
  });

  it('returns access_denied to the client if the person does not sign in', async () => {
    const form = await browser.open(await asked());
    const { url } = await browser.open(`${form.url.pathname}/abort`, {});
    expect(url.searchParams.get('error')).toBe('access_denied');
  });

  it('gives a code only with PKCE, to our own address, and for our own secret', async () => {
    const bare = await asked();
    bare.searchParams.delete('code_challenge');
    bare.searchParams.delete('code_challenge_method');
    expect((await browser.open(bare)).url.searchParams.get('error')).toBe('invalid_request');
    const elsewhere = await browser.open(await asked({ redirect_uri: 'http://evil.example/' }));
    expect(elsewhere.status).toBe(400);
    const { url } = await browser.signIn(await browser.open(await asked()));
    client = new oidc.Configuration(
      client.serverMetadata(),
      portalClient,
      {},
      oidc.ClientSecretBasic('guessed'),
    );
    plainHttp()(client);
    await expect(exchanged(url)).rejects.toMatchObject({ status: 401 });
  });

  it('lets a page load only its own style, and answers only to its own host name', async () => {
    const { response } = await browser.open(await asked());
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const { port } = new URL(issuer);
    const rebound = await fetch(`http://127.0.0.1:${port}/auth`);
    expect(rebound.status).toBe(421);
  });

  it('ends its session when the person signs out', async () => {
    await browser.signIn(await browser.open(await asked()));
    const end = oidc.buildEndSessionUrl(client, { post_logout_redirect_uri: signedOut });
    const page = await browser.open(end);
    expect(page.text).not.toMatch(/<script/);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const done = await browser.open(action, { xsrf, logout: 'yes' });
    expect(done.url.href).toMatch(signedOut);
    expect((await browser.open(await asked())).text).toContain('name="password"');
  });

  it('ends a session at once if given its own id token, and asks first if given another person’s', async () => {
    const idTokenOf = async (of: Browser, login = 'amina'): Promise<string> => {
      const { url } = await of.signIn(await of.open(await asked()), login);
      return (await exchanged(url)).id_token ?? '';
    };
    const own = await idTokenOf(browser);
    const other = await idTokenOf(new Browser(issuer), 'joseph');
    const endOf = (hint: string) =>
      browser.open(
        oidc.buildEndSessionUrl(client, {
          post_logout_redirect_uri: signedOut,
          id_token_hint: hint,
        }),
      );
    expect((await endOf(other)).text).toContain('Stay signed in');
    expect((await browser.open(await asked())).url.href).toMatch(`${callback}?`);
    expect((await endOf(`${own.slice(0, -4)}AAAA`)).status).toBe(400);
    expect((await endOf(own)).url.href).toBe(signedOut);
    expect((await browser.open(await asked())).text).toContain('name="password"');
  });

  it('speaks the language that the client asks for, else the browser’s', async () => {
    const form = await browser.open(await asked({ ui_locales: 'fr sw-KE en' }));
    expect(form.text).toContain('<html lang="sw">');
    expect(form.text).toContain('Nenosiri');
    const refused = await browser.signIn(form, 'amina', 'x');
    expect(refused.text).toContain('si sahihi');
    const headers = { 'accept-language': 'sw' };
    expect(await (await fetch(`${issuer}/device`, { headers })).text()).toContain('Msimbo');
    expect(await (await fetch(`${issuer}/device`)).text()).toContain('Code from the command line');
  });

  describe('for a person with a passkey', () => {
    beforeEach(() =>
      passkeys.add({
        id: 'aWQ',
        subject: 'subject-1',
        public_key: 'a2V5',
        counter: 0,
        added_at: new Date().toISOString(),
      }),
    );
    const anew = { prompt: 'login', max_age: '0', acr_values: 'phr pwd' };
    const acrOf = async (url: URL) => (await exchanged(url)).claims()?.['acr'];

    it('asks only for the passkey if the person must prove presence', async () => {
      const first = await browser.open(await asked());
      expect(first.text).toContain('Use a passkey');
      const { url } = await browser.signIn(first);
      expect(await acrOf(url)).toBe('0');
      const form = await browser.open(await asked(anew));
      expect(form.text).not.toContain('name="password"');
      expect(form.text).toContain('A passkey needs JavaScript');
      expect(form.text).toContain('&quot;id&quot;:&quot;aWQ&quot;');
      const typed = await browser.signIn(form);
      expect([typed.status, typed.text.includes('instead of the password')]).toEqual([401, true]);
    });

    it('reports a password as no proof, whatever was requested', async () => {
      const withPassword = new Browser(issuer);
      for (const { acr_values: _dropped, ...more } of [anew, { ...anew, acr_values: '' }]) {
        const { url } = await withPassword.signIn(await withPassword.open(await asked(more)));
        expect(await acrOf(url)).toBe('0');
      }
      const other = new Browser(issuer);
      const { url } = await other.signIn(await other.open(await asked(anew)), 'joseph');
      expect(await acrOf(url)).toBe('pwd');
    });

    it('rejects an answer that no passkey made, and adds no passkey for a typed password', async () => {
      const form = await browser.open(await asked());
      for (const credential of ['x', '{}', 'null', '{"id":"aWQ"}', '{"id":"aWQ","response":{}}']) {
        const { status, text } = await browser.open(form.url, { credential });
        expect([status, text.includes('does not belong to this account')]).toEqual([401, true]);
      }
      expect((await browser.open(`${form.url.pathname}/passkey`, { credential: 'x' })).status).toBe(
        400,
      );
      const sent = { login: 'amina', password, add_passkey: 'yes' };
      expect((await browser.open(form.url, sent)).url.href).toMatch(`${callback}?`);
      expect(passkeys.of('subject-1')).toHaveLength(1);
    });
  });

  it('offers a passkey on request, and lets the person continue without one', async () => {
    const form = await browser.open(await asked());
    const offered = await browser.open(form.url, { login: 'amina', password, add_passkey: 'yes' });
    expect(offered.text).toContain('data-passkey="create"');
    const wrong = await browser.open(`${form.url.pathname}/passkey`, { credential: '{"id":"x"}' });
    expect([wrong.status, wrong.text.includes('was not added')]).toEqual([400, true]);
    const { url } = await browser.open(`${form.url.pathname}/passkey`, {});
    expect((await exchanged(url)).claims()?.['acr']).toBe('pwd');
    expect(passkeys.isEmpty).toBe(true);
  });

  it('serves the one script of its pages', async () => {
    const script = await fetch(`${issuer}/passkey.js`);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await script.text()).toContain('parseRequestOptionsFromJSON');
  });

  it('signs a command line in with a browser, back to any port of the loopback address alone', async () => {
    const line = await oidc.discovery(new URL(issuer), commandLineClient, {}, oidc.None(), {
      execute: [plainHttp()],
    });
    const request = async (redirect_uri: string) =>
      oidc.buildAuthorizationUrl(line, {
        ...Object.fromEntries((await asked()).searchParams),
        client_id: commandLineClient,
        redirect_uri,
      });
    for (const elsewhere of ['http://127.0.0.1:49152/other', 'http://evil.example/callback'])
      expect((await browser.open(await request(elsewhere))).status).toBe(400);
    const form = await browser.open(await request('http://127.0.0.1:49152/callback'));
    // The form's answer leads there, and browsers check that against the page's policy.
    expect(form.response.headers.get('content-security-policy')).toContain('http://127.0.0.1:*');
    const { url } = await browser.signIn(form);
    expect(url.origin).toBe('http://127.0.0.1:49152');
    const tokens = await oidc.authorizationCodeGrant(line, url, {
      expectedState: 's1',
      expectedNonce: 'n1',
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    expect(tokens.claims()).toMatchObject({
      sub: 'subject-1',
      aud: commandLineClient,
      nonce: 'n1',
    });
    expect(tokens.refresh_token).toBeUndefined();
  });

  it('signs a command line in by a code that a person confirms', async () => {
    const line = await oidc.discovery(new URL(issuer), commandLineClient, {}, oidc.None(), {
      execute: [plainHttp()],
    });
    const begun = await oidc.initiateDeviceAuthorization(line, {
      scope: 'openid profile',
      nonce: 'of-a-command',
    });
    const first = await browser.open(begun.verification_uri);
    const field = (text: string, name: string): string =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
    const wrong = await browser.open(first.url, {
      xsrf: field(first.text, 'xsrf'),
      user_code: 'BBBB-BBBB',
    });
    expect(wrong.text).toContain('This code is wrong');
    const confirm = await browser.open(first.url, {
      xsrf: field(wrong.text, 'xsrf'),
      user_code: begun.user_code,
    });
    expect(confirm.text).toContain(begun.user_code);
    const form = await browser.open(first.url, {
      xsrf: field(confirm.text, 'xsrf'),
      user_code: begun.user_code,
      confirm: 'yes',
    });
    const done = await browser.signIn(form, 'joseph');
    expect(done.text).toContain('Go back to the command line');
    const tokens = await oidc.pollDeviceAuthorizationGrant(line, { ...begun, interval: 1 });
    expect(tokens.claims()).toMatchObject({
      sub: 'subject-2',
      aud: commandLineClient,
      nonce: 'of-a-command',
    });
    expect(tokens.refresh_token).toBeUndefined();

    await sleep(1100);
    const fresh = { max_age: '1', prompt: 'login', acr_values: 'phr pwd' };
    const again = await oidc.initiateDeviceAuthorization(line, { scope: 'openid', ...fresh });
    const { text } = await browser.open(again.verification_uri);
    const anew = await browser.open(again.verification_uri, {
      xsrf: field(text, 'xsrf'),
      user_code: again.user_code,
      confirm: 'yes',
    });
    expect(anew.text).toContain('Verify it’s you');
    await browser.signIn(anew, 'joseph');
    const proved = (
      await oidc.pollDeviceAuthorizationGrant(line, { ...again, interval: 1 })
    ).claims();
    expect(proved?.['acr']).toBe('pwd');
    expect(Number(proved?.auth_time)).toBeGreaterThan(Number(tokens.claims()?.auth_time));
  });
});

describe('its settings', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pesapost-identity-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('are refused if a live rail is set or the file is damaged', async () => {
    const file = join(directory, 'identity-provider.json');
    const { portalUrl: _url, ...content } = kept;
    await writeFile(file, JSON.stringify({ ...content, port: 20_000 }));
    const env = { IDENTITY_PROVIDER_FILE: file, PORTAL_URL: `${portalUrl}/` };
    const passkeysFile = join(directory, 'passkeys.json');
    expect(await readSettings(env)).toEqual({ ...kept, port: 20_000, passkeysFile });
    const live = { ...env, RAIL_MPESA_LIVE_URL: 'https://api.safaricom.co.ke' };
    await expect(readSettings(live)).rejects.toThrow('RAIL_MPESA_LIVE_URL is set');
    await writeFile(file, JSON.stringify({ ...content, port: 0 }));
    await expect(readSettings(env)).rejects.toThrow('port');
  });
});
