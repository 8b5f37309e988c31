import { client } from './client.ts';

// sample
// The client of another holder.
const approved = await client.payouts.approve('PAY-1001', {
  phone: '254712345678',
  amount_minor: 25_000,
});
console.log(approved.status); // 'pending'
