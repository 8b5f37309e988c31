/**
 * Asks for the payouts of a CSV file (columns reference, phone and amount, in shillings) as one batch, or approves one as the
 * second holder: `node pay-from-csv.ts FILE BATCH`, `node pay-from-csv.ts --approve BATCH`.
 */
import { readFileSync } from 'node:fs';
import { PesaPost } from '@pesapost/sdk';
import { client, demo } from './demo-client.ts';
import { payoutsFrom } from './payouts-csv.ts';

const [file, batch] = process.argv.slice(2);
if (file === undefined || batch === undefined) throw new Error('name a file and a batch');

if (file === '--approve') {
  const { client_id, client_secret, private_key_pem } = demo.v4_checker;
  const checker = new PesaPost({
    baseUrl: demo.base_url,
    clientId: client_id,
    clientSecret: client_secret,
    privateKey: private_key_pem,
  });
  const { count, amount_minor } = await checker.payoutBatches.get(batch);
  // What the approval repeats must be the batch's: so a checker approves what they saw.
  const approved = await checker.payoutBatches.approve(batch, { count, amount_minor });
  console.log(`${approved.reference} is ${approved.status}: ${count} payouts, ${amount_minor}`);
} else {
  const { account_no, currency } = demo.v4;
  const items = payoutsFrom(readFileSync(file, 'utf8'));
  const created = await client.payoutBatches.create({
    reference: batch,
    account_no,
    currency,
    channel: 'mpesa',
    items,
  });
  console.log(`${created.reference} is ${created.status}: ${created.count} payouts`);
}
