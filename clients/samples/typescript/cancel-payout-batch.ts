import { client } from './client.ts';

// sample
const cancelled = await client.payoutBatches.cancel(
  'salaries-2026-11',
);
console.log(cancelled.status);
