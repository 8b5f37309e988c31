import { expect, it } from '@jest/globals';
import { PromptOrders } from './prompt-orders.js';

const unused = undefined as never;

it('pays only the number that people approved, whatever number the records have', async () => {
  const stored = new Map([['payout-live:m:a', '254712345678']]);
  const orders = new PromptOrders(unused, unused, {
    find: (stream) => Promise.resolve(stored.get(stream)),
    tracesOf: (phone) => ({ phoneHmac: `of ${phone}`, phoneMasked: '' }),
  });
  const phone = () => orders.phoneOf('payout-live:m:a', 'of 254712345678');
  expect(await phone()).toBe('254712345678');
  stored.set('payout-live:m:a', '254799999999');
  expect(await phone()).toBeUndefined();
  stored.clear();
  expect(await phone()).toBeUndefined();
});
