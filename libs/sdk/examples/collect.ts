/** Collects KES 250.00 from a phone, waits for the customer and shows the balance: `node collect.ts [phone]`. */
import { client, demo } from './demo-client.ts';

const [phone = '254712345678'] = process.argv.slice(2);
const { account_no, currency } = demo.v4;

const created = await client.collections.create({
  account_no,
  phone,
  amount_minor: 25_000,
  currency,
  channel: 'mpesa',
  reference: `EXAMPLE-${Date.now()}`,
});
console.log(`${created.reference} is ${created.status}`);

const settled = await client.collections.waitUntilSettled(created.reference);
console.log(
  settled.status === 'completed'
    ? `${settled.reference} is completed: ${settled.amount_minor}, fee ${settled.fee_minor}, receipt ${settled.receipt ?? 'not known yet'}`
    : `${settled.reference} is ${settled.status}: ${settled.failure_code ?? 'no reason given'}`,
);

const balance = await client.accounts.balance(account_no);
console.log(
  `balance of ${balance.account_no}: ${balance.available_minor} ${balance.currency} minor`,
);
