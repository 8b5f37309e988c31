import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { RedisStore } from '#infra/redis';
import { createLogger, Metrics } from '#infra/runtime';
import { freePort, redisNamespace, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { Browser } from '../../test/browser.js';
import { FakeIssuer } from '../../test/fake-issuer.js';
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
  roles.of.set('amina', [{ role: 'finance' }]);
  const { database } = postgres;
  app = await startPortal({ database, redis, issuer, roles, port, metrics: new Metrics(), lines });
});
afterAll(async () => {
  await app.close();
  await issuer.stop();
  await redis.close();
  await postgres.drop();
});
beforeEach(() => {
  issuer.registersWayBack = true;
  issuer.ended.length = 0;
  lines.length = 0;
});

async function signedIn(): Promise<Browser> {
  const one = new Browser(origin, issuer);
  expect((await one.signIn()).status).toBe(303);
  return one;
}

describe('a person with two tabs', () => {
  it('is led on by the callback of the other tab, once one of them signed in', async () => {
    const one = new Browser(origin, issuer);
    const [first, second] = [
      await one.get('/portal/sign-in?back=/portal/desk'),
      await one.get('/portal/sign-in?back=/portal/watch'),
    ];
    const callback = issuer.approve(first.location);
    expect((await one.get(callback)).text).toContain('another window');
    expect((await one.get(issuer.approve(second.location))).location).toBe('/portal/watch');
    const late = await one.get(callback);
    expect([late.status, late.location]).toEqual([303, '/portal']);
  });

  it('is led on by going back, and by opening the callback again', async () => {
    const one = new Browser(origin, issuer);
    const { location } = await one.get('/portal/sign-in?back=/portal/desk');
    const callback = issuer.approve(location);
    expect((await one.get(callback)).location).toBe('/portal/desk');
    expect((await one.get(callback)).location).toBe('/portal');
    expect((await one.get('/portal/sign-in?back=/portal/desk')).location).toBe('/portal/desk');
    const stateless = await one.get('/portal/callback?error=access_denied');
    expect([stateless.status, stateless.location]).toEqual([303, '/portal']);
  });

  it('is signed out by both, and the second says so, too', async () => {
    const one = await signedIn();
    const form_token = await one.formToken();
    for (const form of ['sign-out', 'sessions/end-all']) {
      await one.submit('/portal/sign-out');
      const second = await one.post(`/portal/${form}`, { fields: { form_token } });
      expect([second.status, second.location]).toEqual([303, '/portal/signed-out']);
    }
    expect((await one.get('/portal/signed-out')).text).toContain('You are signed out');
  });
});

describe('a sign-out', () => {
  /** Signs out, and goes on to the provider as the page leads. */
  const atProvider = async (one: Browser): Promise<URL> => {
    const { text } = await one.submit('/portal/sign-out');
    const [, href = ''] = /class="button" href="([^"]+)"/.exec(text) ?? [];
    const url = new URL(href.replaceAll('&amp;', '&'));
    await fetch(url);
    return url;
  };

  it('ends the provider’s session at once, and is led back', async () => {
    const { searchParams } = await atProvider(await signedIn());
    expect(issuer.ended.at(-1)).toBe('at once');
    expect(searchParams.get('post_logout_redirect_uri')).toBe(`${origin}/portal/signed-out`);
  });

  it('leaves out a hint whose key is gone, so that the provider asks', async () => {
    const one = await signedIn();
    await issuer.changeKeys();
    const { searchParams } = await atProvider(one);
    expect(searchParams.has('id_token_hint')).toBe(false);
    expect(issuer.ended.at(-1)).toBe('asked');
  });

  it('leaves out an address that the provider does not know, and logs it', async () => {
    issuer.registersWayBack = false;
    const { searchParams } = await atProvider(await signedIn());
    expect(searchParams.has('post_logout_redirect_uri')).toBe(false);
    expect(issuer.ended.at(-1)).toBe('at once');
    expect(lines.join('')).toContain('refuses the address after a sign-out');
    expect(lines.join('')).not.toContain('id_token_hint');
  });
});

it('a provider that calls a password phr is named in the log', async () => {
  const warning = 'check its table of acr values';
  const one = new Browser(origin, issuer);
  await one.signIn({ lie: { claims: { acr: 'phr', amr: ['hwk'] } } });
  expect(lines.join('')).not.toContain(warning);
  await one.submit('/portal/sign-out');
  await one.signIn({ lie: { claims: { acr: 'phr', amr: ['pwd'] } } });
  expect(lines.join('')).toContain(warning);
});
