import { client } from './client.ts';

// sample
const receipt = await client.collections.receipt('INV-1001');
// Store it unchanged.
console.log(receipt.postings.length);
