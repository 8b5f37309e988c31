import { client } from './client.ts';

// sample
const created = await client.collections.create({
  account_no: process.env['ACCOUNT_NO'] ?? '',
  phone: '254712345678',
  amount_minor: 25_000, // KES 250.00
  currency: 'KES',
  channel: 'mpesa',
  reference: `INV-${crypto.randomUUID()}`,
});
console.log(created.status); // 'pending'

// Waits for up to 120 s.
const settled = await client.collections.waitUntilSettled(
  created.reference,
);
console.log(`${settled.status} ${settled.amount_minor}`);
