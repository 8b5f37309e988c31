// sample
import { createHmac, randomUUID } from 'node:crypto';

const { BASE_URL = '', ACCOUNT_NO = '' } = process.env;
const { CHECKOUT_KEY_ID = '', CHECKOUT_SECRET = '' } =
  process.env;

const link = {
  account_no: ACCOUNT_NO,
  amount_minor: '25000', // KES 250.00
  currency: 'KES',
  reference: `ORDER-${randomUUID()}`,
  return_url: 'https://shop.example/paid',
  key_id: CHECKOUT_KEY_ID,
  nonce: randomUUID(),
  timestamp: String(Math.floor(Date.now() / 1000)),
};
const query = Object.entries(link)
  .map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  )
  .sort()
  .join('&');
const hash = createHmac('sha256', CHECKOUT_SECRET)
  .update(query)
  .digest('hex');
console.log(`${BASE_URL}/checkout?${query}&hash=${hash}`);
