import { client } from './client.ts';

// sample
const item = await client.collections.get('INV-1001');
console.log(item.status, item.failure_code);
