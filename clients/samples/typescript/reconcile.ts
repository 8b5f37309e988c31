import { client } from './client.ts';

// sample
const day = process.env['DAY'] ?? '2026-01-31';
let [count, amount, fees] = [0, 0n, 0n];
const filters = {
  type: 'collection',
  status: 'completed',
  date_field: 'paid_at', // the day of M-Pesa's statement
  from: day,
  to: day,
} as const;
for await (const item of client.transactions.all(filters)) {
  count += 1;
  amount += item.amount_minor;
  fees += item.fee_minor;
}
console.log(
  `${count} completed, amount ${amount}, fees ${fees}`,
);
