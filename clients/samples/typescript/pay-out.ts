import { checker } from './checker.ts';
import { client } from './client.ts';

// sample
const payout = {
  account_no: process.env['ACCOUNT_NO'] ?? '',
  phone: '254712345678',
  amount_minor: 1_000,
  currency: 'KES',
  channel: 'mpesa',
  reference: `PAY-${crypto.randomUUID()}`,
} as const;
const asked = await client.payouts.request(payout);
console.log(asked.status); // 'pending_approval'

// Another holder approves it, with a credential of their own.
const { reference, phone, amount_minor } = payout;
const approved = await checker.payouts.approve(reference, {
  phone,
  amount_minor,
});
console.log(approved.status); // 'pending'
