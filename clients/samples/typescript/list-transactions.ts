import { client } from './client.ts';

// sample
const filters = {
  status: 'completed',
  from: '2026-01-01',
  to: '2026-01-31',
} as const;
// Page after page, newest first.
for await (const item of client.transactions.all(filters)) {
  console.log(item.reference, item.amount_minor);
}
