import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { RedisStore } from '#infra/redis';
import { createLogger, Metrics } from '#infra/runtime';
import { freePort, redisNamespace, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { Browser } from '../../test/browser.js';
import { clientId, FakeIssuer } from '../../test/fake-issuer.js';
import { GivenRoles, startPortal } from '../../test/portal.js';

const issuer = new FakeIssuer();
const roles = new GivenRoles();
const lines: string[] = [];
let postgres: ThrowAwayDatabase;
let redis: RedisStore;
let app: NestFastifyApplication;
let origin: string;

beforeAll(async () => {
  postgres = await throwAwayDatabase();
  const logger = createLogger({ app: 'spec', level: 'silent' });
  redis = new RedisStore({ ...redisNamespace(), logger });
  await Promise.all([redis.start(), issuer.start()]);
  const port = await freePort();
  origin = `http://localhost:${port}`;
  const { database } = postgres;
  app = await startPortal({ database, redis, issuer, roles, port, metrics: new Metrics(), lines });
});
afterAll(async () => {
  await app.close();
  await issuer.stop();
  await redis.close();
  await postgres.drop();
});
beforeEach(async () => {
  for (const subject of ['amina', 'baraka']) roles.of.set(subject, [{ role: 'finance' }]);
  issuer.givesRefreshTokens = true;
  issuer.refusesRenewal = undefined;
  issuer.health = 'well';
  issuer.renewals = 0;
  lines.length = 0;
  await postgres.database.query(
    'with ended as (delete from records.portal_sessions) delete from records.session_renewals',
  );
});

async function signedIn(subject = 'amina'): Promise<Browser> {
  const one = new Browser(origin, issuer);
  expect((await one.signIn({ subject })).status).toBe(303);
  return one;
}

/** 200 while the session counts, 303 to the sign-in after that. */
const shownTo = async (one: Browser): Promise<number> => (await one.get('/portal/desk')).status;

/** Lets five minutes pass since the provider was last asked. */
const wait = () =>
  postgres.database.query(
    `update records.session_renewals set checked_at = records.now_() - interval '301 s'`,
  );

describe('a session whose provider gave a refresh token', () => {
  it('is asked about with use, at most every five minutes, whichever page is asked for', async () => {
    const one = await signedIn();
    expect([await shownTo(one), issuer.renewals]).toEqual([200, 0]);
    for (const renewals of [1, 2]) {
      await wait();
      expect([await shownTo(one), await shownTo(one)]).toEqual([200, 200]);
      expect(issuer.renewals).toBe(renewals);
    }
    // The provider took each token once, and the next one is kept.
    expect(issuer.refreshTokens.size).toBe(1);
  });

  it('is asked about once by pages that load together', async () => {
    const one = await signedIn();
    await wait();
    const all = await Promise.all(Array.from({ length: 8 }, () => shownTo(one)));
    expect(all).toEqual(Array(8).fill(200));
    expect(issuer.renewals).toBe(1);
  });

  it.each(['invalid_grant', 'interaction_required'])('ends with the refusal %s', async (error) => {
    const [one, other] = [await signedIn(), await signedIn('baraka')];
    await wait();
    issuer.refusesRenewal = error;
    expect(await shownTo(one)).toBe(303);
    issuer.refusesRenewal = undefined;
    expect([await shownTo(one), await shownTo(other)]).toEqual([303, 200]);
    const security = lines.filter((line) => line.includes('"event":"session_ended"'));
    expect(security.join('')).toContain(`${issuer.url}#amina`);
    expect(lines.join('')).toContain('the identity provider ended a session');
  });

  it('ends for a form as well, which is not carried out', async () => {
    const one = await signedIn();
    const form_token = await one.formToken();
    await wait();
    issuer.refusesRenewal = 'invalid_grant';
    const { status } = await one.post('/portal/notes', { fields: { form_token, note: 'n' } });
    expect(status).toBe(401);
  });

  it.each(['down', 'broken', 'hung'] as const)(
    'does not end while the provider is %s, and is asked about again later',
    async (health) => {
      const one = await signedIn();
      await wait();
      issuer.health = health;
      expect(await shownTo(one)).toBe(200);
      issuer.health = 'well';
      await wait();
      expect([await shownTo(one), issuer.renewals]).toEqual([200, 1]);
    },
  );

  it.each([500, 503, 429, 'invalid_client', 'temporarily_unavailable'])(
    'does not end by the answer %s, which says nothing of the person',
    async (answer) => {
      const one = await signedIn();
      await wait();
      issuer.refusesRenewal = answer;
      expect(await shownTo(one)).toBe(200);
      expect(lines.join('')).toContain('did not say if a person may stay');
    },
  );

  it('ends if the provider answers with another person', async () => {
    const one = await signedIn();
    await wait();
    for (const token of issuer.refreshTokens.keys()) issuer.refreshTokens.set(token, 'baraka');
    expect(await shownTo(one)).toBe(303);
  });

  it('has its token nowhere to be read', async () => {
    await signedIn();
    await wait();
    const rows = await postgres.database.query<{ row: string }>(
      `select r::text || encode(ciphertext, 'escape') as row from records.session_renewals r`,
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows) + lines.join('')).not.toContain('refresh-');
  });

  it('is never asked about without one', async () => {
    issuer.givesRefreshTokens = false;
    const one = await signedIn();
    await wait();
    expect([await shownTo(one), issuer.renewals]).toEqual([200, 0]);
  });
});

describe('a back-channel logout', () => {
  const event = 'http://schemas.openid.net/event/backchannel-logout';
  let ids = 0;
  const claims = (more: object = {}) => ({
    aud: clientId,
    sub: 'amina',
    sid: 'sid-of-amina',
    jti: `logout-${(ids += 1)}`,
    events: { [event]: {} },
    ...more,
  });
  const send = (logout_token: string) =>
    new Browser(origin, issuer).post('/portal/backchannel-logout', {
      fields: { logout_token },
      headers: { 'sec-fetch-site': 'cross-site' },
    });

  it.each([
    ['the person', { sid: undefined }],
    ['the provider’s session', { sub: undefined }],
    ['both', {}],
  ])('ends the sessions of %s, and no other', async (_, more) => {
    const [one, other] = [await signedIn(), await signedIn('baraka')];
    const { status, headers, text } = await send(await issuer.sign(claims(more)));
    expect([status, text, headers.get('cache-control')]).toEqual([200, '', 'no-store']);
    expect([await shownTo(one), await shownTo(other)]).toEqual([303, 200]);
    const security = lines.filter((line) => line.includes('"event":"signed_out"'));
    expect(security.join('')).toContain(`${issuer.url}#amina`);
  });

  it('counts once, so a copy ends no later session', async () => {
    const token = await issuer.sign(claims(), { typ: 'logout+jwt' });
    expect((await send(token)).status).toBe(200);
    const one = await signedIn();
    expect((await send(token)).status).toBe(400);
    expect(await shownTo(one)).toBe(200);
  });

  const old = Math.floor(Date.now() / 1000) - 600;
  it.each<[string, { readonly claims?: object; readonly typ?: string }]>([
    ['names another client', { claims: { aud: 'another' } }],
    ['names another issuer', { claims: { iss: 'https://evil.example' } }],
    ['has a nonce, as an identity token does', { claims: { nonce: 'n' } }],
    ['has no event', { claims: { events: undefined } }],
    ['has another event', { claims: { events: { 'https://id.example/other': {} } } }],
    ['has an event that is no object', { claims: { events: { [event]: true } } }],
    ['has no id', { claims: { jti: undefined } }],
    ['names neither a person nor a session', { claims: { sub: undefined, sid: undefined } }],
    ['is ten minutes old', { claims: { iat: old } }],
    ['has expired', { claims: { exp: old } }],
    ['never expires', { claims: { exp: undefined } }],
    ['has another type', { typ: 'at+jwt' }],
  ])('is refused if it %s', async (_, { claims: more, typ }) => {
    const one = await signedIn();
    const { status, text } = await send(await issuer.sign(claims(more), typ ? { typ } : {}));
    expect([status, JSON.parse(text)]).toEqual([400, { error: 'invalid_request' }]);
    expect(await shownTo(one)).toBe(200);
  });

  it('is refused with a key that the provider never had, or withdrew', async () => {
    const withdrawn = await issuer.sign(claims());
    await issuer.changeKeys();
    const one = await signedIn();
    for (const token of [withdrawn, 'no token', '']) expect((await send(token)).status).toBe(400);
    expect(await shownTo(one)).toBe(200);
  });

  it('is asked for again while the provider’s keys cannot be read', async () => {
    const one = await signedIn();
    const token = await issuer.sign(claims());
    issuer.health = 'broken';
    expect((await send(token)).status).toBe(503);
    issuer.health = 'well';
    expect((await send(token)).status).toBe(200);
    expect(await shownTo(one)).toBe(303);
  });
});
