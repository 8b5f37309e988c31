import { client } from './client.ts';

// sample
// The client of another holder.
const rejected = await client.payouts.reject('PAY-1001', {
  phone: '254712345678',
  amount_minor: 25_000,
});
console.log(rejected.status); // 'rejected'
