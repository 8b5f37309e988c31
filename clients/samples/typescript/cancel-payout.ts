import { client } from './client.ts';

// sample
const cancelled = await client.payouts.cancel('PAY-1001');
console.log(cancelled.status);
