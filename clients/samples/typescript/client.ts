// sample
import { readFileSync } from 'node:fs';
import { PesaPost } from '@pesapost/sdk';

const {
  BASE_URL = '',
  CLIENT_ID = '',
  CLIENT_SECRET = '',
} = process.env;

// It gets the token, keeps it and renews it.
export const client = new PesaPost({
  baseUrl: BASE_URL,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  privateKey: readFileSync('merchant.key', 'utf8'),
});
