import { client } from './client.ts';

// sample
const item = await client.payouts.get('PAY-1001');
console.log(item.status, item.failure_code);
