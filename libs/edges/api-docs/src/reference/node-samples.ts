import { type Call, exampleBody } from './calls.js';

type Build = (body: string, name: string) => string;

/** The SDK's call for each operation. A spec runs each one and looks at the request that it sends. */
const samples: Readonly<Record<string, Build>> = {
  issueToken: () => `import { PesaPost } from '@pesapost/sdk';

// The client gets the token, keeps it and renews it.
const client = new PesaPost({
  baseUrl, clientId, clientSecret, privateKey,
});`,
  createCollection: (body) => `const created = await client.collections.create(${body});
console.log(created.status); // 'pending'`,
  expectPayment: (body) => `const expected = await client.collections.expect(${body});
console.log(expected.pay_to.account); // '10000001 INV7'`,
  findCollection: (_, name) => `const item = await client.collections.get('${name}');
console.log(item.status, item.failure_code);`,
  findCollectionReceipt: (_, name) => `const receipt = await client.collections.receipt('${name}');
// Store it unchanged.
console.log(receipt.postings.length);`,
  refundCollection: (
    body,
    name,
  ) => `const asked = await client.collections.refund('${name}', ${body});
console.log(asked.status); // 'pending_approval': another holder approves it`,
  requestPayout: (body) => `const asked = await client.payouts.request(${body});
console.log(asked.status); // 'pending_approval'`,
  approvePayout: (body, name) => `// The client of another holder.
await client.payouts.approve('${name}', ${body});`,
  rejectPayout: (body, name) => `// The client of another holder.
await client.payouts.reject('${name}', ${body});`,
  cancelPayout: (_, name) => `await client.payouts.cancel('${name}');`,
  findPayout: (_, name) => `const item = await client.payouts.get('${name}');
console.log(item.status, item.failure_code);`,
  requestPayoutBatch: (body) => `const batch = await client.payoutBatches.create(${body});
console.log(batch.status); // 'pending_approval'`,
  approvePayoutBatch: (body, name) => `// The client of another holder.
await client.payoutBatches.approve('${name}', ${body});`,
  rejectPayoutBatch: (body, name) => `// The client of another holder.
await client.payoutBatches.reject('${name}', ${body});`,
  cancelPayoutBatch: (_, name) => `await client.payoutBatches.cancel('${name}');`,
  findPayoutBatch: (_, name) => `const batch = await client.payoutBatches.get('${name}');
console.log(batch.by_status.completed.count);`,
  listTransactions: () => `const filters = {
  status: 'completed',
  from: '2026-01-01',
  to: '2026-01-31',
};
// Page after page, newest first.
for await (const item of client.transactions.all(filters)) {
  console.log(item.reference, item.amount_minor);
}`,
  findBalance: (_, name) => `const balance = await client.accounts.balance('${name}');
console.log(balance.available_minor); // a bigint`,
  listEvents: () => `// Each event after the last one that you handled.
const handled = { afterSequence: 41 };
for await (const event of client.events.all(handled)) {
  console.log(event.sequence, event.type);
}`,
};

/** @param names the examples of the path's parameters @throws TypeError if the call has no sample */
export function nodeSample(call: Call, names: Readonly<Record<string, string>>): string {
  const { operationId } = call.operation;
  const build = samples[operationId];
  if (!build) throw new TypeError(`${operationId} has no sample for Node`);
  const [name = ''] = Object.values(names);
  return build(literal(exampleBody(call)), name);
}

/** Writes JSON as people write it in JavaScript. */
function literal(value: unknown): string {
  return JSON.stringify(value ?? {}, null, 2)
    .replace(/"([a-z_]+)":/g, '$1:')
    .replaceAll('"', "'");
}
