import { client } from './client.ts';

// sample
const expected = await client.collections.expect({
  account_no: '10000001',
  amount_minor: 25_000,
  currency: 'KES',
  channel: 'mpesa',
  reference: 'INV7',
});
console.log(expected.pay_to.account); // '10000001 INV7'
