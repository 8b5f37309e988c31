import { client } from './client.ts';

// sample
const asked = await client.collections.refund('INV-1001', {
  phone: '254712345678',
  amount_minor: 25_000,
  reference: 'REFUND-1001',
});
console.log(asked.status); // 'pending_approval': another holder approves it
