import { client } from './client.ts';

const order = {
  account_no: '10000001',
  phone: '254712345678',
  amount_minor: 25_000,
  currency: 'KES',
  channel: 'mpesa',
  reference: 'INV-1001',
} as const;
const storedKey = 'order-1001';

// sample
// The client repeats the call by itself. Give it the key
// if another process may have to do so later.
const created = await client.collections.create(order, {
  idempotencyKey: storedKey,
});
console.log(created.replayed);
