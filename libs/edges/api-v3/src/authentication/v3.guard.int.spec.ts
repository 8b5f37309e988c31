import { sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ExecutionContext } from '@nestjs/common';
import { type CachedMerchants, type V3CredentialRecord } from '#views/merchants';
import { RedisStore } from '#infra/redis';
import { createLogger } from '#infra/runtime';
import { redisNamespace, rsaKeys } from '#testing';
import { type V3Gate } from '#edges/v3-gate';
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
} satisfies V3CredentialRecord;

class Route {
  @V3Authenticated(() => 'text')
  handle(): void {
    // Only the decorators are read.
  }
}

const guard = new V3Guard(
  {
    v3Credential: (key: string) => Promise.resolve(key === 'known' ? credential : undefined),
  } as unknown as CachedMerchants,
  { admit: () => Promise.resolve() } as unknown as V3Gate,
  new FailureLimit(store),
);

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
  it('are answered as ever until there are too many from one source; who authenticates is served', async () => {
    expect(await call('unknown-0')).toBe('invalid_consumer_key');
    const codes = await Promise.all(
      Array.from({ length: 2000 }, (_, n) => call(`unknown-${n + 1}`)),
    );
    expect(new Set(codes)).toEqual(new Set(['invalid_consumer_key', 'rate_limited']));
    expect(await call('known')).toBe('passed');
    expect(await call('unknown', { ip: '198.51.100.8' })).toBe('invalid_consumer_key');
  });

  it('of a signature count as well, and are told apart from it below the limit', async () => {
    const [ip, signature] = ['198.51.100.9', Buffer.from('no signature')];
    expect(await call('known', { ip, signature })).toBe('invalid_signature');
  });
});
