/** Sums a day's completed collections, for comparison with a statement: `node reconcile.ts 2026-01-31`. */
import { client } from './demo-client.ts';

const [day = new Date().toISOString().slice(0, 10)] = process.argv.slice(2);
const sums = { items: 0, amountMinor: 0n, feeMinor: 0n };

const filters = {
  type: 'collection',
  status: 'completed',
  // Uses the rail's own days, as its statement does.
  date_field: 'paid_at',
  from: day,
  to: day,
  limit: 100,
} as const;
for await (const transaction of client.transactions.all(filters)) {
  sums.items += 1;
  sums.amountMinor += transaction.amount_minor;
  sums.feeMinor += transaction.fee_minor;
}
console.log(`${day}: ${sums.items} completed, amount ${sums.amountMinor}, fees ${sums.feeMinor}`);
