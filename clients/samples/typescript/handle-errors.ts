import { client } from './client.ts';

const order = {
  account_no: '10000001',
  phone: '0712345678',
  amount_minor: 25_000,
  currency: 'KES',
  channel: 'mpesa',
  reference: 'INV-1001',
} as const;

// sample
import { PesaPostError } from '@pesapost/sdk';

try {
  await client.collections.create(order);
} catch (error) {
  if (!(error instanceof PesaPostError)) throw error;
  if (error.kind === 'request') console.log(error.detail);
  else if (error.code === 'rail_rejected')
    console.log('no push');
  else console.log('repeat with', error.idempotencyKey);
}
