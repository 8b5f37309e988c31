/**
 * Asks for the payouts of a CSV file (columns reference, phone and amount, in shillings) as one batch: `node
 * pay-from-csv.ts FILE BATCH`. With --approve it approves a batch as the second holder, who has a copy of the file:
 * `node pay-from-csv.ts --approve FILE BATCH`.
 */
import { readFileSync } from 'node:fs';
import { PesaPost } from '@pesapost/sdk';
import { client, demo } from './demo-client.ts';
import { differencesFrom, payoutsFrom, sumsOf } from './payouts-csv.ts';

const isApproval = process.argv[2] === '--approve';
const [file, batch] = process.argv.slice(isApproval ? 3 : 2);
if (file === undefined || batch === undefined) throw new Error('name a file and a batch');
const items = payoutsFrom(readFileSync(file, 'utf8'));

if (isApproval) {
  const { client_id, client_secret, private_key_pem } = demo.v4_checker;
  const checker = new PesaPost({
    baseUrl: demo.base_url,
    clientId: client_id,
    clientSecret: client_secret,
    privateKey: private_key_pem,
  });
  const asked = [];
  for await (const payout of checker.transactions.all({ batch })) asked.push(payout);
  const wrong = differencesFrom(items, asked);
  if (wrong.length > 0) throw new Error(`not approved: ${wrong.join('; ')}`);
  // Count and sum come from the checker's own file. The service refuses the approval if the batch's
  // count or sum differs.
  const approved = await checker.payoutBatches.approve(batch, sumsOf(items));
  const { count, amount_minor } = approved;
  console.log(`${approved.reference} is ${approved.status}: ${count} payouts, ${amount_minor}`);
} else {
  const { account_no, currency } = demo.v4;
  const created = await client.payoutBatches.create({
    reference: batch,
    account_no,
    currency,
    channel: 'mpesa',
    items,
  });
  console.log(`${created.reference} is ${created.status}: ${created.count} payouts`);
}
