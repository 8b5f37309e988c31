import { randomBytes, randomUUID } from 'node:crypto';
import { type CollectionIntentRecorded } from '#domain/collections';
import { type NewEvent } from '#domain/event-sourcing';

/** The size of a create call's evidence: signature, digest, nonce and salt, encrypted, in base64. */
const evidenceBytes = 640;

/** Returns the first event of a collection, as large as those that creates write. */
export function sampleIntent(): NewEvent<CollectionIntentRecorded> {
  const reference = randomUUID();
  return {
    id: randomUUID(),
    event: {
      type: 'CollectionIntentRecorded',
      data: {
        merchantId: '01234567-89ab-4cde-8f01-23456789abcd',
        mode: 'demo',
        accountNo: '1000000001',
        currency: 'KES',
        amountMinor: 10_000n,
        feeMinor: 150n,
        channel: 'mpesa',
        reference,
        accountReference: 'ABCDEFGHJKLM',
        phoneHmac: 'a'.repeat(64),
        phoneMasked: '2547*****678',
        origin: 'v4',
      },
    },
    metadata: {
      v: 1,
      correlationId: reference,
      actor: { kind: 'credential', id: randomUUID(), holder: 'bench' },
      evidence: { keyId: 'bench', ciphertext: randomBytes(evidenceBytes).toString('base64') },
      commitment: 'b'.repeat(64),
    },
  };
}
