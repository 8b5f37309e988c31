import { client } from './client.ts';

// sample
const { ledgerPosition } = await client.transactions.list();
if (ledgerPosition === undefined)
  throw new Error('no position');
const balance = await client.accounts.balance('10000001', {
  minPosition: ledgerPosition,
});
console.log(balance.available_minor);
