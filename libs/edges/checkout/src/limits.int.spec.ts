import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisStore } from '#infra/redis';
import { createLogger } from '#infra/runtime';
import { redisNamespace } from '#testing';
import { type FastifyRequest } from 'fastify';
import { Limits } from './limits.js';
import { type CheckoutLink } from './link/checkout-link.js';

const store = new RedisStore({
  ...redisNamespace(),
  logger: createLogger({ app: 'spec', level: 'silent' }),
});
beforeAll(() => store.start());
afterAll(() => store.close());

const request = { ip: '198.51.100.7' } as FastifyRequest;
const [link, other] = [{ hash: 'a'.repeat(64) }, { hash: 'b'.repeat(64) }] as CheckoutLink[];
const limits = new Limits(store);

/** Returns how many of this many parallel calls are refused. */
async function refusedOf(count: number, what: () => Promise<void>): Promise<number> {
  const all = await Promise.allSettled(Array.from({ length: count }, what));
  return all.filter(({ status }) => status === 'rejected').length;
}

describe('the limits of the checkout', () => {
  it('let customers look and pay behind an address that floods bad links', async () => {
    expect(await refusedOf(2000, () => limits.badLink(request))).toBeGreaterThan(0);
    await limits.look(link as CheckoutLink);
    await limits.payment(link as CheckoutLink);
  });

  it('are separate for each link: flooding one link blocks no other', async () => {
    expect(await refusedOf(60, () => limits.payment(link as CheckoutLink))).toBeGreaterThan(30);
    expect(await refusedOf(1000, () => limits.look(link as CheckoutLink))).toBeGreaterThan(0);
    await limits.payment(other as CheckoutLink);
    await limits.look(other as CheckoutLink);
  });
});
