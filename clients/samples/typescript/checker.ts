import { readFileSync } from 'node:fs';
import { PesaPost } from '@pesapost/sdk';

const {
  BASE_URL = '',
  CHECKER_ID = '',
  CHECKER_SECRET = '',
} = process.env;

export const checker = new PesaPost({
  baseUrl: BASE_URL,
  clientId: CHECKER_ID,
  clientSecret: CHECKER_SECRET,
  privateKey: readFileSync('checker.key', 'utf8'),
});
