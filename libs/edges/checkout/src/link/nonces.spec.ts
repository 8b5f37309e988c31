import { afterAll, describe, expect, it } from '@jest/globals';
import { DependencyUnavailable } from '#domain/kernel';
import { RedisStore } from '#infra/redis';
import { createLogger } from '#infra/runtime';
import { type CheckoutLink } from './checkout-link.js';
import { Nonces } from './nonces.js';

// No server listens there.
const url = 'redis://127.0.0.1:1';
const logger = createLogger({ app: 'spec', level: 'silent' });
const store = await RedisStore.open({ url, logger });
afterAll(() => store.close());

describe('a payment of a link, while Redis is away', () => {
  it.each([
    { version: 'v3', hash: 'h' },
    { version: 'v4', hash: 'h', key: { credentialId: 'c' }, values: { nonce: 'n' } },
  ])('is not started: $version', async (link) => {
    await expect(new Nonces(store).use(link as unknown as CheckoutLink)).rejects.toThrow(
      DependencyUnavailable,
    );
  });
});
