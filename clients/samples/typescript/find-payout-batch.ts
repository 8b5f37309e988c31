import { client } from './client.ts';

// sample
const batch = await client.payoutBatches.get(
  'salaries-2026-11',
);
console.log(batch.by_status.completed.count);
