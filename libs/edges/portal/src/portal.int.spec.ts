import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Instant } from '#domain/kernel';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { decodeJwt } from 'jose';
import { createLogger, Metrics } from '#infra/runtime';
import { hashSecret, Keyring } from '#shared/signing';
import {
  answerToHeldBackBody,
  freePort,
  redisNamespace,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { Browser } from '../test/browser.js';
import { FakeIssuer, type Lie } from '../test/fake-issuer.js';
import { carriedOut, GivenRoles, startPortal } from '../test/portal.js';
import { personDigest } from './session/browser-sessions.js';

let postgres: ThrowAwayDatabase;
let redis: RedisStore;
let issuer: FakeIssuer;
let app: NestFastifyApplication;
let origin: string;
const roles = new GivenRoles();
const metrics = new Metrics();
const lines: string[] = [];

beforeAll(async () => {
  postgres = await throwAwayDatabase();
  redis = new RedisStore({
    ...redisNamespace(),
    logger: createLogger({ app: 'spec', level: 'silent' }),
  });
  issuer = new FakeIssuer();
  const port = await freePort();
  await Promise.all([redis.start(), issuer.start()]);
  origin = `http://localhost:${port}`;
  const { database } = postgres;
  app = await startPortal({ database, redis, issuer, roles, port, metrics, lines });
});
afterAll(async () => {
  await app.close();
  await issuer.stop();
  await redis.close();
  await postgres.drop();
});

beforeEach(() => {
  roles.of.clear();
  roles.of.set('amina', [{ role: 'finance' }]);
  carriedOut.length = 0;
});
afterEach(() => {
  issuer.health = 'well';
});

const isSecurity = (line: string): boolean => line.includes('"log":"security"');
const securityLines = () =>
  lines.filter(isSecurity).map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

const browser = (): Browser => new Browser(origin, issuer);

/** A browser whose person has signed in. */
async function signedIn(subject = 'amina'): Promise<Browser> {
  const one = browser();
  const { status } = await one.signIn({ subject });
  expect(status).toBe(303);
  return one;
}

/** The first line of the answer to a form that waits to be asked for its body. */
const answerToHeldBackForm = (
  headers: Readonly<Record<string, string>>,
  late?: Parameters<typeof answerToHeldBackBody>[3],
  path = '/portal/notes',
): Promise<string> => {
  const form = {
    Host: new URL(origin).host,
    'Content-Type': 'application/x-www-form-urlencoded',
    'Sec-Fetch-Site': 'same-origin',
  };
  const port = Number(new URL(origin).port);
  return answerToHeldBackBody(port, path, { ...form, ...headers }, late);
};

it('a form’s body is requested only after its session and origin are checked (AUTH-31)', async () => {
  const Cookie = `portal=${(await signedIn()).cookies.get('portal') ?? ''}`;
  const [foreign, refused] = [{ Cookie, 'Sec-Fetch-Site': 'cross-site' }, 'HTTP/1.1 403 Forbidden'];
  expect(await answerToHeldBackForm({})).toMatch(/^HTTP\/1\.1 [34]0\d /);
  expect(await answerToHeldBackForm({ Cookie: 'portal=unknown' })).toMatch(/^HTTP\/1\.1 [34]0\d /);
  expect(await answerToHeldBackForm(foreign)).toBe(refused);
  expect(await answerToHeldBackForm({ Cookie })).toBe('HTTP/1.1 100 Continue');
});

it('a form whose session ended while its body was held back is not carried out', async () => {
  const one = await signedIn();
  const Cookie = [...one.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const body = new URLSearchParams({ form_token: await one.formToken() }).toString();
  const answered = (after: () => unknown) => answerToHeldBackForm({ Cookie }, { body, after });
  expect(await answered(() => undefined)).not.toMatch(/^HTTP\/1\.1 40[13] /);
  expect(await answered(() => one.submit('/portal/sessions/end-all'))).toBe(
    'HTTP/1.1 401 Unauthorized',
  );
});

it('a form with a file is not carried out if its sender lost the role or the session meanwhile (PEO-61)', async () => {
  const one = await signedIn();
  const Cookie = [...one.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const boundary = 'form';
  const part = (name: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const body = `${part('form_token', await one.formToken())}--${boundary}--\r\n`;
  const type = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
  const answered = (after: () => unknown): Promise<string> =>
    answerToHeldBackForm({ Cookie, ...type }, { body, after }, '/portal/files');
  const before = carriedOut.length;
  expect(await answered(() => undefined)).toBe('HTTP/1.1 303 See Other');
  expect(carriedOut).toHaveLength(before + 1);
  const held = roles.of.get('amina') ?? [];
  expect(await answered(() => roles.of.set('amina', []))).toBe('HTTP/1.1 403 Forbidden');
  roles.of.set('amina', held);
  const ended = (): Promise<unknown> => one.submit('/portal/sessions/end-all');
  expect(await answered(ended)).toBe('HTTP/1.1 401 Unauthorized');
  expect(carriedOut).toHaveLength(before + 1);
});

const shownBy = async (one: Browser, target = '/portal/desk') => (await one.get(target)).status;

describe('signing in', () => {
  it('leads to the issuer with state, nonce and a challenge, and back to the page asked for', async () => {
    const one = browser();
    const asked = await one.get('/portal/desk?a=1');
    expect([asked.status, asked.location]).toEqual([
      303,
      '/portal/sign-in?back=%2Fportal%2Fdesk%3Fa%3D1',
    ]);
    const { location } = await one.get(asked.location);
    const { searchParams } = new URL(location);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      scope: 'openid profile',
      ui_locales: 'en',
      redirect_uri: `${origin}/portal/callback`,
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^.{32,}$/),
      nonce: expect.stringMatching(/^.{32,}$/),
    });
    const back = await one.get(issuer.approve(location));
    expect([back.status, back.location]).toEqual([303, '/portal/desk?a=1']);
    const page = await one.get(back.location);
    expect(page.status).toBe(200);
    // The issuer gives the name beside the token, so the page does not trust it.
    expect(page.text).toContain('amina &lt;b&gt;of Duka&lt;/b&gt;');
  });

  it('gives a cookie that no script reads and no other site’s form sends', async () => {
    const { headers } = await browser().signIn();
    const session = headers.getSetCookie().find((set) => set.startsWith('portal='));
    expect(session).toMatch(/^portal=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/portal/../../evil',
    '/docs',
  ])('leads to no other place than a page of ours: %s', async (asked) => {
    expect((await browser().signIn({}, asked)).location).toBe('/portal');
  });

  it('continues at PORTAL_URL, whose cookies the answer will need', async () => {
    const elsewhere = new Browser(origin.replace('localhost', '127.0.0.1'), issuer);
    const { location } = await elsewhere.get('/portal/sign-in?back=/portal/desk');
    expect(location).toBe(`${origin}/portal/sign-in?back=%2Fportal%2Fdesk`);
  });

  const refusedLies: readonly (readonly [string, Lie])[] = [
    ['another nonce', { claims: { nonce: 'another' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another audience', { claims: { aud: 'another' } }],
    ['a token that is over', { claims: { exp: 1_700_000_000 } }],
    ['a token of tomorrow', { claims: { nbf: 4_000_000_000 } }],
    ['a key that it never had', { signedBy: 'unknown-key' }],
    ['no token', { withoutIdToken: true }],
    ['another state', { state: 'another' }],
  ];
  it.each(refusedLies)('trusts no answer with %s', async (_, lie) => {
    const one = browser();
    const { status, text } = await one.signIn({ lie });
    expect(status).toBe(403);
    expect(text).toContain('Sign-in failed');
    expect(one.cookies.has('portal')).toBe(false);
    expect(await shownBy(one)).toBe(303);
  });

  it('trusts no key that the issuer has withdrawn', async () => {
    await signedIn();
    await issuer.changeKeys();
    expect((await browser().signIn({ lie: { signedBy: 'old-key' } })).status).toBe(403);
    await signedIn();
  });

  it('uses no other person’s name, and no control characters in a name', async () => {
    const one = browser();
    expect((await one.signIn({ lie: { userInfoSubject: 'boss' } })).status).toBe(303);
    expect((await one.get('/portal/desk')).text).not.toContain('boss');
    const turned = browser();
    await turned.signIn({ lie: { claims: { name: '\u202eJoseph \u0007Odhiambo' } } });
    expect((await turned.get('/portal/desk')).text).toContain('Joseph Odhiambo');
  });

  it('counts in the browser that was sent to the issuer, and once', async () => {
    const [victim, attacker] = [browser(), browser()];
    const { location } = await attacker.get('/portal/sign-in');
    const callback = issuer.approve(location, { subject: 'attacker' });
    expect((await victim.get(callback)).status).toBe(403);
    expect(victim.cookies.has('portal')).toBe(false);
    expect((await attacker.get(callback)).status).toBe(303);
    // Its session lives, so the address leads on, and signs no one in again.
    const session = attacker.cookies.get('portal');
    const { status, headers } = await attacker.get(callback);
    expect([status, headers.getSetCookie()]).toEqual([303, []]);
    attacker.cookies.delete('portal');
    expect((await attacker.get(callback)).status).toBe(403);
    expect(session).toMatch(/^[\w-]{43}$/);
  });

  it('shows a page to a person whom the issuer rejected, without the issuer’s text', async () => {
    const one = browser();
    const { location } = await one.get('/portal/sign-in');
    const state = new URL(location).searchParams.get('state') ?? '';
    const said = `error=access_denied&error_description=${encodeURIComponent('<b>call 0700</b>')}`;
    const { status, text } = await one.get(`/portal/callback?${said}&state=${state}`);
    expect(status).toBe(403);
    expect(text).not.toContain('0700');
  });

  it('is bounded for each source', async () => {
    const one = browser();
    const all = await Promise.all(Array.from({ length: 50 }, () => one.get('/portal/sign-in')));
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^[1-9]/);
  });

  it('is possible from a browser of before while strangers use up those of its address', async () => {
    const one = await signedIn();
    await one.submit('/portal/sessions/end-all');
    for (const way of ['sign-in', 'callback'])
      await takeFromBucket(redis, `bucket:portal:${way}:${one.address}`, {
        limit: 1,
        intervalMs: 3_600_000,
        burst: 2,
      });
    const stranger = new Browser(origin, issuer, one.address);
    expect((await stranger.get('/portal/sign-in')).status).toBe(429);
    expect((await one.signIn({ subject: 'amina' })).status).toBe(303);
    expect(await shownBy(one)).toBe(200);
    stranger.cookies.set('portal-known', 'k1.made-up');
    expect((await stranger.get('/portal/sign-in')).status).toBe(429);
  });

  it('is also bounded on its way back, because each answer causes another call to the issuer', async () => {
    const one = browser();
    const { location } = await one.get('/portal/sign-in');
    const state = new URL(location).searchParams.get('state') ?? '';
    const { tokenRequests } = issuer;
    const made = Array.from({ length: 50 }, (_, index) => `code=${index}&state=${state}`);
    const all = await Promise.all(made.map((query) => one.get(`/portal/callback?${query}`)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([403, 429]));
    expect(issuer.tokenRequests - tokenRequests).toBeLessThan(45);
  });

  it('is counted by its outcome; only its line in the security log names the person', async () => {
    lines.length = 0;
    await signedIn();
    await browser().signIn({ lie: { claims: { nonce: 'another' } } });
    const page = await metrics.registry.metrics();
    for (const outcome of ['signed_in', 'untrusted', 'stale', 'denied'])
      expect(page).toMatch(new RegExp(`portal_sign_ins_total\\{outcome="${outcome}"\\} [1-9]`));
    expect(lines.join('')).toContain('/portal/callback');
    expect(lines.join('')).not.toMatch(/code=|state=|nonce=/);
    const [own, others] = [securityLines(), lines.filter((line) => !isSecurity(line))];
    expect(others.join('')).not.toContain('amina');
    expect(own).toContainEqual(
      expect.objectContaining({ event: 'signed_in', personId: `${issuer.url}#amina` }),
    );
  });
});

describe('an issuer that does not answer', () => {
  it.each(['down', 'broken'] as const)(
    'is shown as a page while it is %s, and sessions continue',
    async (health) => {
      const before = await signedIn();
      const begun = browser();
      const { location } = await begun.get('/portal/sign-in');
      const callback = issuer.approve(location);
      issuer.health = health;
      const { status, headers, text } = await begun.get(callback);
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      expect(text).toContain('Sign-in is not possible right now');
      expect(await shownBy(before)).toBe(200);
      issuer.health = 'well';
      await signedIn();
    },
  );

  it('is shown as a page even at startup, and is asked again on the next request', async () => {
    const down = new FakeIssuer();
    await down.start();
    down.health = 'down';
    const port = await freePort();
    const { database } = postgres;
    const own = { database, redis, issuer: down, roles, port, metrics: new Metrics() };
    const other = await startPortal(own);
    try {
      const one = new Browser(`http://localhost:${port}`, down);
      expect((await one.get('/portal/sign-in')).status).toBe(503);
      expect((await one.get('/portal/signed-out')).status).toBe(200);
      down.health = 'well';
      // The two issuers look alike, but each event that names a person would name another one.
      down.metadata = { issuer: `${down.url}/` };
      expect((await one.get('/portal/sign-in')).status).toBe(403);
      down.metadata = {};
      expect((await one.signIn()).status).toBe(303);
    } finally {
      await other.close();
      await down.stop();
    }
  });

  it('keeps live mode from starting only if it says that it cannot prove presence', async () => {
    const own = new FakeIssuer();
    await own.start();
    const { database } = postgres;
    const startIn = async (
      acr: readonly string[] | undefined,
      stepUpAcr: readonly string[] = [],
    ) => {
      own.metadata = acr ? { acr_values_supported: acr } : {};
      const under = { database, redis, issuer: own, roles, metrics: new Metrics(), stepUpAcr };
      const port = await freePort();
      const started = await startPortal({ ...under, port, refusesWeakIssuer: true });
      await started.close();
    };
    try {
      const refused = /^OIDC_ISSUER: .* lists none of phrh, phr \(ALLOW_UNSAFE=weak-presence /;
      await expect(startIn(['pwd', 'gold'])).rejects.toThrow(refused);
      await expect(startIn([])).rejects.toThrow(refused);
      await expect(startIn(['phr'], ['phrh'])).rejects.toThrow('lists none of phrh (');
      await startIn(['pwd', 'phr']);
      await startIn(undefined);
      own.health = 'down';
      await startIn(['pwd']);
    } finally {
      await own.stop();
    }
  });

  it('is given up after some seconds', async () => {
    const one = browser();
    const { location } = await one.get('/portal/sign-in');
    const callback = issuer.approve(location);
    issuer.health = 'hung';
    expect((await one.get(callback)).status).toBe(503);
  });
});

describe('a session', () => {
  it('has another id than the one that the browser brought, which then is worth nothing', async () => {
    const attacker = await signedIn('attacker');
    const planted = attacker.cookies.get('portal') ?? '';
    const victim = browser();
    victim.cookies.set('portal', planted);
    await postgres.database.query('select 1');
    // The browser has another person's session, so the victim signs out of that one without knowing.
    await victim.submit('/portal/sign-out');
    victim.cookies.set('portal', planted);
    await victim.signIn();
    expect(victim.cookies.get('portal')).not.toBe(planted);
    expect(await shownBy(attacker)).toBe(303);
    const made = browser();
    made.cookies.set('portal', 'A'.repeat(43));
    await made.signIn();
    expect(made.cookies.get('portal')).not.toBe('A'.repeat(43));
  });

  it('is stored only under the hash of its id', async () => {
    const one = await signedIn();
    const id = one.cookies.get('portal') ?? '';
    const rows = await postgres.database.query(
      `select encode(id_hash, 'hex') as hash, s::text as row from records.portal_sessions s`,
    );
    expect(JSON.stringify(rows)).not.toContain(id);
    expect(rows.length).toBeGreaterThan(0);
  });

  it('is listed by the name of its browser, and without one as unknown', async () => {
    await signedIn();
    const one = browser();
    const { location } = await one.get('/portal/sign-in?back=%2Fportal%2Fdesk');
    const header = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
    await one.get(issuer.approve(location, {}), { headers: { 'user-agent': header } });
    const { text } = await one.get('/portal/sessions');
    expect(text).toContain('Firefox on Linux');
    expect(text).toContain('Unknown browser');
    expect(text).not.toContain('Gecko');
  });

  it.each([
    ['idle', `idle_ends_at = records.now_() - interval '1 s'`],
    ['revoked', `revoked_at = records.now_()`],
    ['from another issuer', `issuer = 'https://before.example', subject = 'before'`],
  ])('ends with the next request if it is %s, in every browser that has it', async (_, change) => {
    const one = await signedIn();
    const stolen = browser();
    stolen.cookies.set('portal', one.cookies.get('portal') ?? '');
    expect(await shownBy(stolen)).toBe(200);
    await postgres.database.query(`update records.portal_sessions set ${change}`);
    for (const holder of [one, stolen]) {
      expect(await shownBy(holder)).toBe(303);
      const { status, text } = await holder.post('/portal/notes', { fields: { note: 'n' } });
      expect([status, text.includes('Sign in first')]).toEqual([401, true]);
    }
    expect(carriedOut).toEqual([]);
  });

  it('is extended by use but never beyond its end; its use is written once a minute', async () => {
    const one = await signedIn();
    const { database } = postgres;
    const seen = () =>
      database.query<{ idle: number; seen: Date }>(
        `select extract(epoch from idle_ends_at - records.now_())::float8 as idle, last_seen_at as seen
           from records.portal_sessions where revoked_at is null and idle_ends_at > records.now_()`,
      );
    await database.query(`delete from records.portal_sessions where subject <> 'amina'`);
    await one.get('/portal/desk');
    const [before] = await seen();
    await one.get('/portal/desk');
    expect((await seen())[0]?.seen).toEqual(before?.seen);
    await database.query(`
      update records.portal_sessions set last_seen_at = records.now_() - interval '61 s',
        idle_ends_at = records.now_() + interval '1 min'`);
    await one.get('/portal/desk');
    expect((await seen())[0]?.idle).toBeGreaterThan(29 * 60);
    await database.query(`
      update records.portal_sessions set last_seen_at = records.now_() - interval '61 s',
        ends_at = records.now_() + interval '2 min'`);
    await one.get('/portal/desk');
    expect((await seen())[0]?.idle).toBeLessThan(121);
  });

  it('is not kept alive by a page that is open; once it has ended, the page is led to signing in', async () => {
    const one = await signedIn();
    const { database } = postgres;
    await database.query(`
      update records.portal_sessions set last_seen_at = records.now_() - interval '20 min',
        idle_ends_at = records.now_() + interval '10 min'`);
    const look = () => one.get('/portal/desk', { headers: { 'hx-request': 'true' } });
    expect((await look()).status).toBe(200);
    const seen = `select 1 from records.portal_sessions where last_seen_at > records.now_() - interval '19 min'`;
    expect(await database.query(seen)).toEqual([]);
    await database.query(`update records.portal_sessions set revoked_at = records.now_()`);
    const { status, headers } = await look();
    expect([status, headers.get('hx-refresh')]).toEqual([401, 'true']);
    expect(one.cookies.has('portal-sign-in')).toBe(false);
  });

  it('ends by signing out, here and at the issuer', async () => {
    const one = await signedIn();
    const id = one.cookies.get('portal') ?? '';
    const { status, text } = await one.submit('/portal/sign-out');
    expect(status).toBe(200);
    expect(text).toContain(`content="1; url=${issuer.url}/end?`);
    // The issuer need not ask whose session is to end.
    const [, hint = ''] = /id_token_hint=([\w.-]+)/.exec(text) ?? [];
    expect(decodeJwt(hint)).toMatchObject({ sub: 'amina', aud: 'portal' });
    expect(one.cookies.has('portal-sign-out')).toBe(false);
    expect(text).not.toContain('Signed in as');
    expect(one.cookies.has('portal')).toBe(false);
    one.cookies.set('portal', id);
    expect(await shownBy(one)).toBe(303);
  });

  it('shows a person without a role only their own id', async () => {
    const one = await signedIn('newcomer');
    const { status, text } = await one.get('/portal');
    expect(status).toBe(403);
    expect(text).toContain(`${issuer.url}#newcomer`);
    expect(await shownBy(one)).toBe(403);
  });

  it('shows on each page that a new admin is announced', async () => {
    const one = await signedIn();
    roles.announced = {
      id: 'e-1',
      person: `${issuer.url}#zuri`,
      name: 'Zuri',
      reason: 'none can act',
      proposedBy: 'root',
      announcedAt: '2026-11-22T12:00:00.000Z' as Instant,
      takesEffectAt: '2026-11-23T12:00:00.000Z' as Instant,
    };
    for (const target of ['/portal/desk', '/portal/sessions']) {
      const { text } = await one.get(target);
      expect([target, /<b>Zuri<\/b> becomes an admin/.test(text)]).toEqual([target, true]);
    }
    roles.announced = undefined;
    expect((await one.get('/portal/desk')).text).not.toContain('Zuri');
  });

  it('follows the roles as they are now', async () => {
    const one = await signedIn();
    roles.of.set('amina', []);
    expect(await shownBy(one)).toBe(403);
  });
});

describe('a person', () => {
  it('makes no more requests than they may, over all sessions, and never holds up another', async () => {
    const port = await freePort();
    const personRate = { limit: 1, intervalMs: 3_600_000, burst: 3 };
    const { database } = postgres;
    const own = { database, redis, issuer, roles, port, metrics: new Metrics(), personRate };
    const other = await startPortal(own);
    try {
      const [one, two, zuri] = [0, 1, 2].map(() => new Browser(`http://localhost:${port}`, issuer));
      if (!one || !two || !zuri) throw new TypeError('three browsers are needed');
      for (const each of [one, two])
        expect((await each.signIn({ subject: 'rehema' })).status).toBe(303);
      expect((await zuri.signIn({ subject: 'zuri' })).status).toBe(303);
      roles.of.set('zuri', [{ role: 'viewer' }]);
      roles.of.set('rehema', [{ role: 'finance' }]);
      const form_token = await one.formToken();
      const fields = { form_token, note: 'n' };
      expect((await one.post('/portal/notes', { fields })).status).toBe(303);
      expect((await one.get('/portal/desk')).status).toBe(200);
      expect(carriedOut).toEqual([{ note: 'n' }]);
      const beyond = [
        await one.get('/portal/desk'),
        await one.post('/portal/notes', { fields }),
        await two.get('/portal/desk'),
      ];
      for (const answer of beyond) {
        expect(answer.status).toBe(429);
        expect(answer.text).toContain('Wait a moment');
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
      }
      expect(carriedOut).toHaveLength(1);
      expect((await zuri.get('/portal/desk')).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});

describe('a form', () => {
  it('is carried out with its session’s token', async () => {
    const one = await signedIn();
    const { status, location } = await one.submit('/portal/notes', { note: 'called' });
    expect([status, location]).toEqual([303, '/portal/desk?done=noted']);
    expect(carriedOut).toEqual([{ note: 'called' }]);
  });

  it('with a file is accepted by each replica while the master key is rotated, by its token alone', async () => {
    const [old, next] = ['old', 'new'].map((id, at) => ({ id, bytes: Buffer.alloc(32, at + 1) }));
    if (!old || !next) throw new TypeError('two keys are needed');
    const { database } = postgres;
    const replicas = await Promise.all(
      [Keyring.from([old, next]), Keyring.from([next, old])].map(async (keyring) => {
        const port = await freePort();
        const own = { database, redis, issuer, roles, port, metrics: new Metrics(), keyring };
        return { replica: await startPortal(own), at: `http://localhost:${port}` };
      }),
    );
    try {
      const [one, other] = replicas.map(({ at }) => new Browser(at, issuer));
      if (!one || !other) throw new TypeError('two replicas are needed');
      expect((await one.signIn({ subject: 'amina' })).status).toBe(303);
      for (const [name, value] of one.cookies) other.cookies.set(name, value);
      const send = async (to: Browser, form_token?: string): Promise<number> => {
        const form = new FormData();
        if (form_token !== undefined) form.append('form_token', form_token);
        form.append('file', new Blob(['a']), 'a.csv');
        return (await to.upload('/portal/files', form)).status;
      };
      const token = await one.formToken();
      expect([await send(one, token), await send(other, token)]).toEqual([303, 303]);
      expect([await send(other), await send(other, ''), await send(other, `${token}0`)]).toEqual([
        403, 403, 403,
      ]);
      expect(carriedOut).toEqual([{ file: 'a.csv' }, { file: 'a.csv' }]);
    } finally {
      await Promise.all(replicas.map(({ replica }) => replica.close()));
    }
  });

  it('is refused without it, with another session’s, and from another site', async () => {
    const [one, other] = [await signedIn(), await signedIn('baraka')];
    roles.of.set('baraka', [{ role: 'finance' }]);
    const form_token = await one.formToken();
    const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      one.post('/portal/notes', { fields: { note: 'n', ...fields }, headers });
    const answers = [
      await send({}),
      await send({ form_token: '' }),
      await send({ form_token: await other.formToken() }),
      await send({ form_token }, { 'sec-fetch-site': 'cross-site' }),
      await send({ form_token }, { 'sec-fetch-site': 'same-site' }),
      await send({ form_token }, { 'content-type': 'text/plain' }),
      await one.post(`/portal/notes?form_token=${form_token}`, { fields: { note: 'n' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403]);
    expect(carriedOut).toEqual([]);
    expect(answers[3]?.text).toContain('The form came from another site');
  });

  it('for the language is remembered, and leads back only to a page of ours', async () => {
    const one = browser();
    const fields = { language: 'sw', back: '/portal/signed-out' };
    expect((await one.post('/portal/language', { fields })).location).toBe('/portal');
    expect((await one.get('/portal/signed-out')).text).toContain('<html lang="sw">');
    const evil = { language: 'en', back: 'https://evil.example' };
    expect((await one.post('/portal/language', { fields: evil })).location).toBe('/portal');
  });
});

describe('a form of weight', () => {
  const decision = { review: 'R-1', decision: '<b>paid</b>', note: 'a+b & ü\r\n%' };

  /** Submits the form and opens the page that says what will be done. */
  async function held(one: Browser, fields: Record<string, string> = decision) {
    const { status, location } = await one.submit('/portal/desk', fields);
    expect([status, carriedOut]).toEqual([303, []]);
    return location;
  }

  /**
   * Proves presence at the issuer.
   * @returns the callback's answer
   */
  async function prove(one: Browser, page: string, who: Parameters<FakeIssuer['approve']>[1] = {}) {
    const { location } = await one.get(`${page}/prove`);
    return one.get(issuer.approve(location, who));
  }

  const bucketsOf = (whose: string) =>
    ['sign-in', 'callback'].map((way) => `bucket:portal:${way}:${whose}`);
  const proofsOf = (subject: string): string =>
    `proof:${personDigest({ issuer: issuer.url, subject })}`;
  /** Takes all that a source or a person may make for an hour. */
  const useUp = async (whose: string): Promise<void> => {
    for (const bucket of bucketsOf(whose))
      await takeFromBucket(redis, bucket, { limit: 1, intervalMs: 3_600_000, burst: 2 });
  };
  // No test counts the proofs of another one.
  beforeEach(async () => {
    for (const bucket of bucketsOf(proofsOf('amina'))) await redis.set(bucket, '0', 1000);
  });

  const heldId = (page: string): string => page.slice(page.lastIndexOf('/') + 1);
  const carryOut = (one: Browser, page: string, target = '/portal/desk') =>
    one.submit(target, { held: heldId(page) });

  it('waits until its sender has proved presence, then is carried out to the byte, once', async () => {
    const one = await signedIn();
    const page = await held(one);
    const asked = await one.get(page);
    expect(asked.text).toContain('Decide R-1');
    expect(asked.text).toContain('&lt;b&gt;paid&lt;/b&gt;');
    expect(asked.text).not.toContain('Confirm now');
    expect((await carryOut(one, page)).status).toBe(403);

    const { location } = await one.get(`${page}/prove`);
    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
      max_age: '0',
      prompt: 'login',
      // The nonce ends in the form's digest, so the issuer signs it.
      nonce: expect.stringMatching(/^[\w-]{43}\.[\w-]{43}$/),
    });
    const back = await one.get(issuer.approve(location));
    expect(back.location).toBe(page);
    expect((await one.get(page)).text).toContain('Confirm now');
    const done = await carryOut(one, page);
    expect([done.status, done.location]).toEqual([303, '/portal/desk?done=decided']);
    expect(carriedOut).toEqual([{ ...decision, by: 'amina' }]);

    expect((await carryOut(one, page)).status).toBe(403);
    expect(carriedOut).toHaveLength(1);
  });

  it('is proved from its own page: another site’s link leads to no issuer', async () => {
    const one = await signedIn();
    const page = await held(one);
    for (const site of ['cross-site', 'same-site']) {
      const linked = await one.get(`${page}/prove`, { headers: { 'sec-fetch-site': site } });
      expect([linked.status, linked.location]).toEqual([403, '']);
    }
    const own = { headers: { 'sec-fetch-site': 'same-origin' } };
    const { status, location } = await one.get(`${page}/prove`, own);
    expect([status, new URL(location).origin]).toEqual([303, issuer.url]);
  });

  it('is carried out as it was proved, regardless of what is sent with its id', async () => {
    const one = await signedIn();
    const page = await held(one);
    await prove(one, page);
    await one.submit('/portal/desk', { held: heldId(page), review: 'R-2', decision: 'failed' });
    expect(carriedOut).toEqual([{ ...decision, by: 'amina' }]);
  });

  it('is proved from an address at which strangers used up the sign-ins, and no more often than its person may', async () => {
    const one = await signedIn('makena');
    roles.of.set('makena', [{ role: 'finance' }]);
    const [page, next] = [await held(one), await held(one)];
    const other = await signedIn();
    const others = await held(other);
    await useUp(one.address);
    const stranger = new Browser(origin, issuer, one.address);
    expect((await stranger.get('/portal/sign-in')).status).toBe(429);
    await prove(one, page, { subject: 'makena' });
    expect((await carryOut(one, page)).status).toBe(303);

    await useUp(proofsOf('makena'));
    expect((await one.get(`${next}/prove`)).status).toBe(429);
    expect((await other.get(`${others}/prove`)).status).toBe(303);
  });

  it('is not carried out by a proof for another one', async () => {
    const one = await signedIn();
    const [small, large] = [await held(one, { review: 'small' }), await held(one)];
    await prove(one, small);
    expect((await carryOut(one, large)).status).toBe(403);
    // The form is refused as well if its bytes changed after the proof.
    await postgres.database.query(`update records.portal_held_forms set digest = '\\x00'`);
    expect((await carryOut(one, small)).status).toBe(403);
    expect(carriedOut).toEqual([]);
  });

  it('is not carried out at another address, in another session, or by another person', async () => {
    const one = await signedIn();
    roles.of.set('baraka', [{ role: 'finance' }]);
    const page = await held(one);
    const { status, text } = await prove(one, page, { subject: 'baraka' });
    expect([status, text.includes('Another person signed in')]).toEqual([403, true]);
    await prove(one, page);
    const other = await signedIn('baraka');
    expect((await carryOut(other, page)).status).toBe(403);
    expect((await other.get(page)).status).toBe(403);
    const again = await signedIn();
    expect((await carryOut(again, page)).status).toBe(403);
    expect((await carryOut(one, page, '/portal/desk?x=1')).status).toBe(403);
    expect(carriedOut).toEqual([]);
  });

  it('is not carried out by a sign-in of before, or one that the issuer does not date', async () => {
    const one = await signedIn();
    const page = await held(one);
    expect((await prove(one, page, { ageMs: 60_000 })).status).toBe(403);
    const undated = { claims: { auth_time: undefined } };
    expect((await prove(one, page, { lie: undated })).status).toBe(403);
    expect((await carryOut(one, page)).status).toBe(403);
    expect(carriedOut).toEqual([]);
  });

  it('is not carried out by the sign-in of the session, however fresh it is', async () => {
    const one = await signedIn();
    const page = await held(one);
    const { location } = await one.get(`${page}/prove`);
    const stripped = new URL(location);
    for (const name of ['max_age', 'prompt', 'acr_values']) stripped.searchParams.delete(name);
    // The issuer does not ask again, and repeats when it last saw the person.
    const [{ at } = { at: 0 }] = await postgres.database.query<{ at: number }>(
      `select extract(epoch from max(authenticated_at))::float8 as at from records.portal_sessions where subject = 'amina'`,
    );
    const back = await one.get(
      issuer.approve(stripped.href, { lie: { claims: { auth_time: at } } }),
    );
    expect([back.status, back.location]).toEqual([303, `${page}?done=not_anew`]);
    expect((await one.get(back.location)).text).toContain('without asking you again');
    expect((await carryOut(one, page)).status).toBe(403);
    expect(carriedOut).toEqual([]);
    await prove(one, page);
    expect((await carryOut(one, page)).status).toBe(303);
  });

  it('is not carried out by a sign-in elsewhere of a moment before, nor by the proof for another form', async () => {
    const one = await signedIn();
    const page = await held(one);
    // An application that shares the issuer saw the person after our own sign-in, but before this proof began.
    await postgres.database.query(`
      update records.person_access set seen_at = seen_at - interval '1 hour';`);
    await postgres.database.query(`
      update records.portal_sessions set authenticated_at = authenticated_at - interval '1 hour'`);
    expect((await prove(one, page, { ageMs: 5000 })).location).toBe(`${page}?done=not_anew`);

    const earlier = await held(one, { review: 'earlier' });
    expect((await prove(one, earlier)).location).toBe(earlier);
    const [{ at } = { at: 0 }] = await postgres.database.query<{ at: number }>(
      `select extract(epoch from seen_at)::float8 as at from records.person_access where person = $1`,
      [`${issuer.url}#amina`],
    );
    const again = await prove(one, page, { lie: { claims: { auth_time: at } } });
    expect(again.location).toBe(`${page}?done=not_anew`);
    const other = await signedIn();
    const theirs = await held(other);
    const replayed = await prove(other, theirs, { lie: { claims: { auth_time: at } } });
    expect(replayed.location).toBe(`${theirs}?done=not_anew`);
    expect((await carryOut(one, page)).status).toBe(403);
    expect((await carryOut(one, earlier)).status).toBe(303);
  });

  it('counts only one of two proofs that arrive together with the same time', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const pages = [await held(one), await held(other)] as const;
    const at = Math.floor(Date.now() / 1000) + 5;
    const lie = { claims: { auth_time: at, iat: at } };
    const answers = await Promise.all([
      prove(one, pages[0], { lie }),
      prove(other, pages[1], { lie }),
    ]);
    const leads = answers.map(({ location }) => location.endsWith('not_anew'));
    expect(leads.sort()).toEqual([false, true]);
  });

  it('is not carried out too late, or by a person who lost the role meanwhile', async () => {
    const one = await signedIn();
    const [late, lost] = [await held(one), await held(one)];
    await prove(one, late);
    await prove(one, lost);
    await postgres.database.query(
      `update records.portal_held_forms set ends_at = records.now_() - interval '1 s'
         where ends_at = (select min(ends_at) from records.portal_held_forms where proved_at is not null)`,
    );
    expect((await carryOut(one, late)).status).toBe(403);
    const form_token = await one.formToken();
    roles.of.set('amina', [{ role: 'viewer' }]);
    const fields = { form_token, held: heldId(lost) };
    expect((await one.post('/portal/desk', { fields })).status).toBe(403);
    expect(carriedOut).toEqual([]);
  });

  describe('if the issuer lists a proof that no page in between relays', () => {
    const strong = new FakeIssuer();
    let app: NestFastifyApplication;
    let isLive = false;
    const start = async (stepUpAcr: readonly string[] = []): Promise<Browser> => {
      const port = await freePort();
      const { database } = postgres;
      const own = { database, redis, issuer: strong, roles, port, metrics: new Metrics() };
      app = await startPortal({ ...own, stepUpAcr, isLive: () => isLive });
      const one = new Browser(`http://localhost:${port}`, strong);
      await one.signIn();
      return one;
    };
    /** @returns the `acr` values that were asked for, and the answer to a proof that gives this `acr` */
    const provedBy = async (one: Browser, page: string, acr: unknown) => {
      const { location } = await one.get(`${page}/prove`);
      const asked = new URL(location).searchParams.get('acr_values');
      const { status, text } = await one.get(
        strong.approve(location, { lie: { claims: { acr } } }),
      );
      const isWeak = text.includes('That proof is not enough');
      // The page names both values.
      const received = typeof acr === 'string' && acr !== '' ? acr : 'none';
      for (const [label, value] of [
        ['received', received],
        ['required', asked],
      ])
        if (isWeak)
          expect(text).toMatch(new RegExp(`acr ${label}</dt>\\s*<dd><code>${value}</code></dd>`));
      return { asked, status, isWeak };
    };
    beforeAll(async () => {
      strong.metadata = { acr_values_supported: ['urn:password', 'phr'] };
      await strong.start();
    });
    afterEach(() => {
      isLive = false;
      return app.close();
    });
    afterAll(() => strong.stop());

    it('asks for that proof and accepts no other, regardless of what the issuer says beside it', async () => {
      const one = await start();
      const page = await held(one);
      for (const acr of ['urn:password', undefined, '', 'phrh', ['phr']])
        expect(await provedBy(one, page, acr)).toEqual({ asked: 'phr', status: 403, isWeak: true });
      expect((await carryOut(one, page)).status).toBe(403);
      expect(carriedOut).toEqual([]);
      expect(await provedBy(one, page, 'phr')).toMatchObject({ status: 303 });
      expect((await carryOut(one, page)).status).toBe(303);
      expect(carriedOut).toHaveLength(1);
    });

    it('accepts instead what OIDC_STEP_UP_ACR names', async () => {
      const one = await start(['gold', 'silver']);
      const page = await held(one);
      const asked = 'gold silver';
      expect(await provedBy(one, page, 'phr')).toEqual({ asked, status: 403, isWeak: true });
      expect(await provedBy(one, page, 'silver')).toMatchObject({ asked, status: 303 });
    });

    it('accepts no password once there is live data, regardless of what OIDC_STEP_UP_ACR names', async () => {
      const one = await start(['any']);
      const page = await held(one);
      expect(await provedBy(one, page, 'urn:password')).toMatchObject({ status: 303 });
      isLive = true;
      const asked = 'phrh phr';
      const later = await held(one);
      for (const acr of ['urn:password', 'any', undefined])
        expect(await provedBy(one, later, acr)).toEqual({ asked, status: 403, isWeak: true });
      expect((await carryOut(one, later)).status).toBe(403);
      expect(carriedOut).toEqual([]);
      expect(await provedBy(one, later, 'phr')).toMatchObject({ asked, status: 303 });
    });
  });

  it('waits with at most nineteen others of its session; the oldest is dropped', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const kept = await held(other);
    const first = await held(one, { review: 'first' });
    const second = await held(one, { review: 'second' });
    for (let index = 0; index < 19; index += 1) await held(one, { review: `more-${index}` });
    const found = async (who: Browser, page: string) => (await who.get(page)).status;
    expect([await found(one, first), await found(one, second)]).toEqual([403, 200]);
    expect(await found(other, kept)).toBe(200);
  });

  it('is never stored in readable form', async () => {
    const one = await signedIn();
    await held(one, { review: 'tell-nobody' });
    const rows = await postgres.database.query(
      `select f::text as text, encode(ciphertext, 'escape') as sealed from records.portal_held_forms f`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('tell-nobody');
  });
});

describe('the security log', () => {
  it('names the person in each line about one: refusals, proofs, ended sessions and sign-outs', async () => {
    const personId = `${issuer.url}#tatu`;
    roles.of.set('tatu', [{ role: 'finance' }]);
    const one = await signedIn('tatu');
    const other = await signedIn('tatu');
    lines.length = 0;
    await one.get('/portal/merchants/m1/demo/keys');
    for (let turn = 0; turn < 12; turn += 1) await one.post('/portal/notes', {});
    const { location: page } = await one.submit('/portal/desk', { review: 'R-9' });
    const { location } = await one.get(`${page}/prove`);
    await one.get(issuer.approve(location, { subject: 'tatu', ageMs: 5000 }));
    const again = await one.get(`${page}/prove`);
    await one.get(issuer.approve(again.location, { subject: 'tatu' }));
    const session = hashSecret(other.cookies.get('portal') ?? '').toString('hex');
    await one.submit('/portal/sessions/end', { session });
    roles.of.set('tatu', [{ role: 'auditor' }]);
    expect((await one.submit('/portal/notes', { note: 'n' })).status).toBe(403);
    await one.submit('/portal/sign-out');
    const own = securityLines();
    expect(own.every((line) => line['personId'] === personId)).toBe(true);
    expect(own.flatMap(({ event }) => event ?? [])).toEqual([
      'presence_not_proved',
      'presence_proved',
      'session_ended',
      'signed_out',
    ]);
    expect(own).toContainEqual(expect.objectContaining({ code: 'forbidden', personId }));
    // None is dropped, because the person's own rate limits them.
    expect(own.filter(({ code }) => code === 'stale_form')).toHaveLength(12);
  });
});

describe('a person’s sessions', () => {
  const listed = async (one: Browser) => {
    const { text } = await one.get('/portal/sessions');
    const others = [...text.matchAll(/name="session" value="([0-9a-f]{64})"/g)];
    return { text, others: others.map(([, hash = '']) => hash) };
  };
  beforeEach(() => postgres.database.query('delete from records.portal_sessions'));

  it('are listed for them alone, with this browser’s, and each can be ended', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    await signedIn('baraka');
    const { text, others } = await listed(one);
    expect(others).toHaveLength(1);
    expect(text.match(/<time /g)).toHaveLength(6);
    expect(text).toContain('>Unknown browser<');
    expect(text).toContain('This browser');
    const [session = ''] = others;
    const ended = await one.submit('/portal/sessions/end', { session });
    expect([ended.status, ended.location]).toEqual([303, '/portal/sessions?done=ended']);
    expect([await shownBy(one), await shownBy(other)]).toEqual([200, 303]);
    expect((await listed(one)).others).toEqual([]);
  });

  it('cannot be ended by another person or under an invalid id', async () => {
    const [one, another] = [await signedIn(), await signedIn()];
    const [session = ''] = (await listed(one)).others;
    roles.of.set('baraka', [{ role: 'viewer' }]);
    const baraka = await signedIn('baraka');
    await baraka.submit('/portal/sessions/end', { session });
    expect(await shownBy(another)).toBe(200);
    for (const wrong of ['', 'x', `${session}00`, session.toUpperCase()])
      expect((await one.submit('/portal/sessions/end', { session: wrong })).status).toBe(404);
    expect((await one.post('/portal/sessions/end-all')).status).toBe(403);
    expect(await shownBy(another)).toBe(200);
  });

  it.each(['/portal/sign-out', '/portal/sessions/end-all'])(
    'end everywhere with one sign-out: %s',
    async (target) => {
      const [one, other] = [await signedIn(), await signedIn()];
      roles.of.set('baraka', [{ role: 'viewer' }]);
      const baraka = await signedIn('baraka');
      expect((await one.submit(target)).status).toBe(200);
      expect([await shownBy(one), await shownBy(other), await shownBy(baraka)]).toEqual([
        303, 303, 200,
      ]);
      // The moment alone ends them, even if a slow sign-in wrote a session meanwhile.
      await postgres.database.query(`update records.portal_sessions set revoked_at = null`);
      expect([await shownBy(one), await shownBy(other), await shownBy(baraka)]).toEqual([
        303, 303, 200,
      ]);
      expect(await shownBy(await signedIn())).toBe(200);
    },
  );

  it('are ten at most: the next one ends the least used, and a race makes no more', async () => {
    const first = await signedIn();
    const kept = await signedIn();
    await postgres.database.query(
      `update records.portal_sessions set last_seen_at = last_seen_at - interval '1 hour'
         where created_at = (select min(created_at) from records.portal_sessions)`,
    );
    await Promise.all(Array.from({ length: 9 }, () => signedIn()));
    expect([await shownBy(first), await shownBy(kept)]).toEqual([303, 200]);
    await Promise.all(Array.from({ length: 12 }, () => signedIn()));
    const [{ open } = { open: 0n }] = await postgres.database.query<{ open: bigint }>(
      `select count(*) as open from records.portal_sessions where subject = 'amina' and revoked_at is null`,
    );
    expect(open).toBe(10n);
  });

  it('end all at once, here and at the issuer', async () => {
    const all = [await signedIn(), await signedIn(), await signedIn()];
    roles.of.set('baraka', [{ role: 'viewer' }]);
    const baraka = await signedIn('baraka');
    const [one] = all;
    const answer = await one?.submit('/portal/sessions/end-all');
    expect(answer?.text).toContain(`${issuer.url}/end?`);
    expect(await Promise.all(all.map((each) => shownBy(each)))).toEqual([303, 303, 303]);
    expect(await shownBy(baraka)).toBe(200);
  });

  it('begin with no answer of the issuer from before all ended', async () => {
    const [own, held] = [await signedIn(), browser()];
    const { location } = await held.get('/portal/sign-in');
    const callback = issuer.approve(location, { subject: 'amina' });
    await own.submit('/portal/sessions/end-all');
    expect((await held.get(callback)).status).toBe(403);
    expect(held.cookies.has('portal')).toBe(false);
    expect(await shownBy(await signedIn())).toBe(200);
  });
});

describe('a person’s view of the portal', () => {
  it('includes only their own merchant; another’s is like one that does not exist', async () => {
    roles.of.set('dev', [{ role: 'developer', merchantId: 'm1' }]);
    roles.of.set('till', [{ role: 'finance', merchantId: 'm1' }]);
    const [dev, till] = [await signedIn('dev'), await signedIn('till')];
    expect(await shownBy(dev, '/portal/merchants/m1/demo/keys')).toBe(200);
    expect(await shownBy(dev, '/portal/merchants/m1/elsewhere/keys')).toBe(404);
    expect(await shownBy(till, '/portal/merchants/m1/demo/keys')).toBe(403);
    const [others, nobodys] = await Promise.all(
      ['/portal/merchants/m2/demo/keys', '/portal/nowhere'].map((target) => dev.get(target)),
    );
    expect([others?.status, nobodys?.status]).toEqual([404, 404]);
    const without = (text = '') => /<h1>.*?<\/h1>\s*<div.*?<\/div>/s.exec(text)?.[0];
    expect(without(others?.text)).toBe(without(nobodys?.text));
    expect(await shownBy(dev)).toBe(403);
  });

  it('shows a merchant’s hostile id as text', async () => {
    const id = '<script>alert(1)</script>';
    roles.of.set('dev', [{ role: 'developer', merchantId: id }]);
    const dev = await signedIn('dev');
    const { text } = await dev.get(`/portal/merchants/${encodeURIComponent(id)}/live/keys`);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<script>alert');
  });
});

describe('an answer of the portal', () => {
  it('at its address with a trailing slash leads to the portal', async () => {
    const { status, location } = await browser().get('/portal/');
    expect([status, location]).toEqual([308, '/portal']);
    const one = await signedIn();
    expect((await one.get('/portal')).location).toMatch(/^\/portal\/./);
  });

  it('cannot be framed or cached, and runs no code of others', async () => {
    const one = await signedIn();
    const { headers, text } = await one.get('/portal/desk');
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const policy = headers.get('content-security-policy');
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(Buffer.byteLength(text)).toBeLessThan(10_000);
  });

  it('loads style and script from here, under addresses that change with their bytes', async () => {
    const { text } = await browser().get('/portal/signed-out');
    const addresses = [...text.matchAll(/(?:src|href)="(\/portal\/static\/[^"]+)"/g)].map(
      ([, address = '']) => address,
    );
    expect(addresses).toHaveLength(2);
    let bytes = 0;
    for (const address of addresses) {
      const { status, headers } = await browser().get(address);
      expect([status, headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      bytes += Number(headers.get('content-length'));
    }
    expect(bytes).toBeLessThan(25_000);
    expect(await shownBy(browser(), '/portal/static/style-0.css')).toBe(404);
  });

  it.each([
    ['GET', '/portal/static/%zz', 404, 'Page not found'],
    ['POST', '/portal/signed-out', 405, 'This address does not accept that request'],
    ['POST', '/portal/language', 413, 'Too large'],
  ])('%s %s that is an error is a page (%i)', async (method, target, status, title) => {
    const body = method === 'POST' ? 'x'.repeat(status === 413 ? 70_000 : 1) : undefined;
    const headers = { 'x-request-id': 'r-17', 'accept-language': 'en' };
    const answer = await fetch(`${origin}${target}`, { method, headers, ...(body && { body }) });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ]);
    const text = await answer.text();
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).toContain('<code>r-17</code>');
  });

  it('keeps the sidebar if there is no such page; people without a session sign in first', async () => {
    const { status, text } = await (await signedIn()).get('/portal/nowhere?x=1');
    expect(status).toBe(404);
    expect(text).toContain('<h1>Page not found</h1>');
    expect(text).toContain('class="side"');
    const led = await browser().get('/portal/nowhere?x=1');
    expect([led.status, led.location]).toEqual([
      303,
      `/portal/sign-in?back=${encodeURIComponent('/portal/nowhere?x=1')}`,
    ]);
  });

  it('reveals nothing of a defect, which only the log shows', async () => {
    const one = await signedIn();
    lines.length = 0;
    const { status, text } = await one.get('/portal/broken');
    expect(status).toBe(500);
    expect(text).toContain('Something went wrong');
    expect(text).not.toContain('secret');
    expect(lines.join('')).toContain('a request ended in a defect');
  });

  it('is in Swahili for a person who prefers it', async () => {
    const { text } = await browser().get('/portal/signed-out', {
      headers: { 'accept-language': 'sw-KE,en;q=0.5' },
    });
    expect(text).toContain('<h1>Umetoka</h1>');
  });
});
