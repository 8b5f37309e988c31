import { sign } from 'node:crypto';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, type ExecutionContext, Module, Post } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { CachedMerchants, type V3CredentialRecord } from '#views/merchants';
import { RedisStore } from '#infra/redis';
import { createHttpApp } from '#shared/http';
import { createLogger, Metrics } from '#infra/runtime';
import { answerToHeldBackBody, redisNamespace, rsaKeys } from '#testing';
import { V3Gate } from '#edges/v3-gate';
import { FailureLimit, V3Authenticated, V3Guard } from './v3.guard.js';

const store = new RedisStore({
  ...redisNamespace(),
  logger: createLogger({ app: 'spec', level: 'silent' }),
});
beforeAll(() => store.start());
afterAll(() => store.close());

/** A key as V3 accepted it, and as imports have it. It is too short for V4. */
const { publicKeyPem, privateKeyPem } = rsaKeys(1024);
const credential = {
  credentialId: 'c',
  merchantId: 'm',
  holder: 'old shop',
  consumerKey: 'known',
  publicKeyPem,
  expiresAt: null,
} satisfies V3CredentialRecord;

@Controller('v3/x')
class Route {
  @Post()
  @V3Authenticated(() => 'text')
  handle(): void {
    // Only the decorators are read.
  }
}

let isRevoked = false;
const merchants = {
  v3Credential: (key: string) =>
    Promise.resolve(key === 'known' && !isRevoked ? credential : undefined),
} as unknown as CachedMerchants;
const gate = { admit: () => Promise.resolve() } as unknown as V3Gate;
const failures = new FailureLimit(store);
const guard = new V3Guard(merchants, gate, failures);

@Module({
  controllers: [Route],
  providers: [
    { provide: CachedMerchants, useValue: merchants },
    { provide: V3Gate, useValue: gate },
    { provide: FailureLimit, useValue: failures },
  ],
})
class Specimen {}

/** Returns `passed`, or the code of the call's refusal. */
async function call(
  consumerKey: string,
  { ip = '198.51.100.7', signature = sign('sha256', Buffer.from('text'), privateKeyPem) } = {},
): Promise<string> {
  const headers = { 'x-consumer-key': consumerKey, signature: signature.toString('base64') };
  const request = { headers, ip, method: 'GET', raw: { url: '/v3/x' }, id: 'r' };
  const context = {
    switchToHttp: () => ({ getRequest: () => request }),
    // eslint-disable-next-line @typescript-eslint/unbound-method -- the marks hang on the function itself
    getHandler: () => Route.prototype.handle,
  } as unknown as ExecutionContext;
  return guard.canActivate(context).then(
    () => 'passed',
    (error: unknown) => (error as Error).message,
  );
}

describe('failures of V3', () => {
  it('are answered by their own codes until one source has too many; an authenticated call still passes', async () => {
    expect(await call('unknown-0')).toBe('invalid_consumer_key');
    const codes = await Promise.all(
      Array.from({ length: 2000 }, (_, n) => call(`unknown-${n + 1}`)),
    );
    expect(new Set(codes)).toEqual(new Set(['invalid_consumer_key', 'rate_limited']));
    expect(await call('known')).toBe('passed');
    expect(await call('unknown', { ip: '198.51.100.8' })).toBe('invalid_consumer_key');
  });

  it('include signature failures, which are reported as such below the limit', async () => {
    const [ip, signature] = ['198.51.100.9', Buffer.from('no signature')];
    expect(await call('known', { ip, signature })).toBe('invalid_signature');
  });
});

describe('a body that its sender holds back', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    app = await createHttpApp(Specimen, {
      trustedProxies: ['127.0.0.1'],
      logger: createLogger({ app: 'spec', level: 'silent' }),
      metrics: new Metrics(),
    });
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  const refused = 'HTTP/1.1 401 Unauthorized';
  const answered = (
    headers: Readonly<Record<string, string>>,
    late?: Parameters<typeof answerToHeldBackBody>[3],
  ): Promise<string> => {
    const { port } = app.getHttpServer().address() as AddressInfo;
    const of = { 'X-Forwarded-For': '198.51.100.10', 'Content-Type': 'application/json' };
    return answerToHeldBackBody(port, '/v3/x', { ...of, ...headers }, late);
  };

  it('is requested after the consumer key is checked, and not before (AUTH-31)', async () => {
    const answers = [
      await answered({ 'X-Consumer-Key': 'unknown', Signature: 'c2ln' }),
      await answered({ 'X-Consumer-Key': 'known' }),
      await answered({ 'X-Consumer-Key': 'known', Signature: 'c2ln' }),
    ];
    expect(answers).toEqual([refused, refused, 'HTTP/1.1 100 Continue']);
  });

  it('does not pass if its credential was revoked meanwhile (AUTH-25)', async () => {
    const Signature = sign('sha256', Buffer.from('text'), privateKeyPem).toString('base64');
    const sentAfter = (after: () => unknown) =>
      answered({ 'X-Consumer-Key': 'known', Signature }, { body: '{}', after });
    expect(await sentAfter(() => undefined)).toBe('HTTP/1.1 201 Created');
    try {
      expect(await sentAfter(() => (isRevoked = true))).toBe(refused);
    } finally {
      isRevoked = false;
    }
  });
});
