import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { RedisStore } from '#infra/redis';
import { createLogger, Metrics } from '#infra/runtime';
import { freePort, redisNamespace, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { Browser } from '../../test/browser.js';
import { clientSecret, FakeIssuer } from '../../test/fake-issuer.js';
import { GivenRoles, type PortalUnderTest, startPortal } from '../../test/portal.js';

let postgres: ThrowAwayDatabase;
let redis: RedisStore;
let issuer: FakeIssuer;
let app: NestFastifyApplication | undefined;
const lines: string[] = [];
const metrics = new Metrics();

beforeAll(async () => {
  postgres = await throwAwayDatabase();
  const logger = createLogger({ app: 'spec', level: 'silent' });
  redis = new RedisStore({ ...redisNamespace(), logger });
  await redis.start();
});
afterAll(async () => {
  await redis.close();
  await postgres.drop();
});
beforeEach(async () => {
  lines.length = 0;
  issuer = new FakeIssuer();
  await issuer.start();
});
afterEach(async () => {
  await app?.close();
  await issuer.stop();
});

/** A browser at a portal with these settings of its issuer. */
async function browserOf(oidc: PortalUnderTest['oidc'] = {}): Promise<Browser> {
  const port = await freePort();
  const { database } = postgres;
  const roles = new GivenRoles();
  app = await startPortal({ database, redis, issuer, roles, port, metrics, lines, oidc });
  return new Browser(`http://localhost:${port}`, issuer);
}

/** The last log line about the provider. */
const logged = (): unknown => {
  const own = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return own.findLast(({ msg }) => /provider/.test(String(msg)));
};

const expectMisconfigured = ({ status, text }: Awaited<ReturnType<Browser['get']>>): void => {
  expect(status).toBe(403);
  expect(text).toContain('Sign-in is not set up correctly');
  expect(text).not.toContain('another window');
  expect(lines.join('')).not.toContain(clientSecret);
};

describe('a fault of the settings', () => {
  it.each([['a wrong client secret', 'wrong'] as const, ['none', undefined] as const])(
    'is named by the provider’s error: %s',
    async (_, secret) => {
      const one = await browserOf({ secret });
      expectMisconfigured(await one.signIn());
      expect(logged()).toMatchObject({ why: 'misconfigured', error: 'unauthorized_client' });
      expect(await metrics.registry.metrics()).toMatch(
        /portal_sign_ins_total\{outcome="misconfigured"\} [1-9]/,
      );
    },
  );

  it.each(['PS256', 'RS512', 'EdDSA'])('is named by the algorithm %s', async (alg) => {
    await issuer.changeKeys(alg);
    const one = await browserOf();
    expectMisconfigured(await one.signIn());
    expect(logged()).toMatchObject({ why: 'misconfigured', alg });
  });

  it.each([
    ['HS256', 'client-secret'],
    ['none', 'nobody'],
  ] as const)('is named by the algorithm %s, which proves nothing', async (alg, signedBy) => {
    const one = await browserOf();
    expectMisconfigured(await one.signIn({ lie: { signedBy } }));
    expect(one.cookies.has('portal')).toBe(false);
    expect(logged()).toMatchObject({ why: 'misconfigured', alg });
  });

  it('is named by the scope error of the provider', async () => {
    issuer.scopes = ['openid'];
    expectMisconfigured(await (await browserOf()).signIn());
    expect(logged()).toMatchObject({ why: 'misconfigured', error: 'invalid_scope' });
  });

  it.each([
    ['a trailing slash', (url: string) => `${url}/`],
    ['127.0.0.1 for localhost', (url: string) => url.replace('localhost', '127.0.0.1')],
  ])('is named by the configured and the found issuer: %s', async (_, spelled) => {
    const configured = spelled(issuer.url);
    const one = await browserOf({ issuer: configured });
    expectMisconfigured(await one.get('/portal/sign-in'));
    expect(logged()).toMatchObject({
      msg: 'OIDC_ISSUER is not the name that the provider gives itself',
      configured,
      found: issuer.url,
    });
  });

  it('is named by the answer to an unknown realm', async () => {
    const configured = `${issuer.url}/realms/unknown`;
    const one = await browserOf({ issuer: configured });
    expectMisconfigured(await one.get('/portal/sign-in'));
    expect(logged()).toMatchObject({ configured, status: 404 });
  });
});

describe('a refusal by the person', () => {
  it('has a page of its own, which mentions neither another window nor the settings', async () => {
    const one = await browserOf();
    const { location } = await one.get('/portal/sign-in');
    const { status, text } = await one.get(issuer.decline(location));
    expect(status).toBe(403);
    expect(text).toContain('You did not sign in');
    expect(text).not.toMatch(/another window|settings/);
    expect(logged()).toMatchObject({ why: 'denied', error: 'access_denied' });
  });

  it.each(['temporarily_unavailable', 'server_error'])(
    'is not a provider that says %s on the way back',
    async (error) => {
      const one = await browserOf();
      const { location } = await one.get('/portal/sign-in');
      const { status, text } = await one.get(issuer.decline(location, error));
      expect(status).toBe(503);
      expect(text).toContain('Sign-in is not possible right now');
    },
  );
});
