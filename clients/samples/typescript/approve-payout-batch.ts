import { client } from './client.ts';

// sample
// The client of another holder.
const approved = await client.payoutBatches.approve(
  'salaries-2026-11',
  {
    count: 240,
    amount_minor: 6_000_000,
  },
);
console.log(approved.status); // 'pending'
