/**
 * Distinguishes the possible failures. The simulator refuses pushes to 254700000011: `node handle-errors.ts [phone]`.
 */
import { PesaPostError } from '@pesapost/sdk';
import { client, demo } from './demo-client.ts';

const [phone = '254700000011'] = process.argv.slice(2);
const { account_no, currency } = demo.v4;
const reference = `EXAMPLE-${Date.now()}`;

try {
  await client.collections.create({
    account_no,
    phone,
    amount_minor: 100,
    currency,
    channel: 'mpesa',
    reference,
  });
  console.log(`${reference} is on its way`);
} catch (error) {
  if (!(error instanceof PesaPostError)) throw error;
  console.log(advice(error));
}

function advice(error: PesaPostError): string {
  switch (error.kind) {
    case 'network':
    case 'timeout':
      // It is unknown if the push was sent, so never collect under a new reference now.
      return `no answer after ${error.attempts} tries; ask for ${reference} later`;
    case 'rate_limit':
    case 'service':
      return `busy; come back in ${error.retryAfterSeconds ?? 60} s`;
    case 'request':
      return `correct the input: ${error.detail ?? error.code}`;
    case 'refused':
      return error.code === 'rail_rejected'
        ? `${reference} has failed: the rail refused the push`
        : `declined: ${error.code}`;
    case 'idempotency':
    case 'not_found':
    case 'authentication':
    case 'not_settled':
    case 'unknown':
      return `for a developer: ${error.message}`;
  }
}
