import { client } from './client.ts';

// sample
const batch = await client.payoutBatches.create({
  reference: 'salaries-2026-11',
  account_no: '10000001',
  currency: 'KES',
  channel: 'mpesa',
  items: [
    {
      reference: 'salary-7',
      phone: '254712345678',
      amount_minor: 25_000,
    },
  ],
});
console.log(batch.status); // 'pending_approval'
