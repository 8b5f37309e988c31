import { client } from './client.ts';

// sample
const balance = await client.accounts.balance('10000001');
console.log(balance.available_minor); // a bigint
