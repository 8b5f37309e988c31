import { named } from '#shared/openapi';
import { PostingProofs } from '#domain/audit';
import { type RecordedEvent } from '#domain/event-sourcing';
import { Database } from '#infra/postgres';
import { readReceipt, type TransactionItem } from '#views/transactions';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { transactionItem, transactionExample } from '../transactions/transaction-shapes.js';

const hash = z.string().describe('Lower-case hex SHA-256.');

const boundPosting = z
  .object({
    currency: z.string(),
    id: z.string(),
    legs: z.array(z.object({ account: z.string(), amountMinor: z.string() })).readonly(),
    merchantId: z.string(),
    mode: z.enum(['live', 'demo']),
    railCommitment: z.string().optional(),
    recordedAt: z.string(),
    requestCommitment: z.string().optional(),
    revision: z.string(),
    stream: z.string(),
    type: z.string(),
    version: z.int(),
  })
  .describe('The facts that the posting commits to. Their canonical JSON (RFC 8785) is hashed.');

const inclusionProof = z.object({
  index: z.int().describe('The posting’s place in the tree, from 0.'),
  tree_size: z.int().describe('That of the head.'),
  path: z.array(hash).readonly().describe('From the leaf upwards (RFC 6962 §2.1.1).'),
});

const receiptPosting = named(
  'ReceiptPosting',
  z.object({
    posting: boundPosting,
    leaf_hash: hash,
    links: z
      .array(
        z.object({
          account: z.string(),
          amount_minor: z.bigint(),
          previous: hash.nullable().describe('`null` for the first leg of the account.'),
          link: hash,
        }),
      )
      .readonly()
      .describe(
        'The link of each leg in its account’s chain. Empty until the views have the posting.',
      ),
    proof: inclusionProof.nullable().describe('`null` until a head contains the posting.'),
    sealed_by: z
      .string()
      .optional()
      .describe('The expected time of a head that contains it. Absent if one does already.'),
  }),
);

const sealedHead = named(
  'SealedHead',
  z.object({
    head: z
      .object({
        date: z.string(),
        historyRoot: hash,
        historySize: z.string(),
        keyId: z.string(),
        previousRoot: hash,
        previousTreeSize: z.string(),
        root: hash,
        timezone: z.string(),
        treeSize: z.string(),
      })
      .describe('The signature is over its canonical JSON (RFC 8785).'),
    signature: z.string().describe('Ed25519, base64.'),
    public_key: z
      .string()
      .describe(
        'Base64 of the SubjectPublicKeyInfo. Trust only a key that you obtained from another source.',
      ),
  }),
);

/** A collection, its postings, and the proof that they are part of history (AUD-24). */
export const receipt = named(
  'Receipt',
  z.object({
    item: transactionItem,
    postings: z
      .array(receiptPosting)
      .readonly()
      .describe('Empty until money is posted. Several if the money went through suspense.'),
    head: sealedHead.nullable().describe('The newest head. `null` before the first day is sealed.'),
  }),
);
export type Receipt = z.infer<typeof receipt>;

const hex = (digit: string): string => digit.repeat(64);

export const receiptExample = {
  item: transactionExample,
  postings: [
    {
      posting: {
        currency: 'KES',
        id: '01a1fbba-6c1e-7d23-b2f0-0c5a4b1d9e77',
        legs: [
          { account: 'rail-clearing:mpesa', amountMinor: '-25000' },
          { account: 'wallet:10000001', amountMinor: '24625' },
          { account: 'fees', amountMinor: '375' },
        ],
        merchantId: '01a1fbb0-1111-7abc-8def-000000000001',
        mode: 'live',
        railCommitment: hex('b'),
        recordedAt: '2026-01-21T06:36:24.102Z',
        requestCommitment: hex('a'),
        revision: '3',
        stream: 'collection-live:01a1fbb0-1111-7abc-8def-000000000001:INV-1001',
        type: 'WalletPosted',
        version: 1,
      },
      leaf_hash: hex('c'),
      links: [
        { account: 'wallet:10000001', amount_minor: 24_625, previous: hex('d'), link: hex('e') },
      ],
      proof: { index: 1, tree_size: 2, path: [hex('f')] },
    },
  ],
  head: {
    head: {
      date: '2026-01-21',
      historyRoot: hex('1'),
      historySize: '9',
      keyId: hex('2'),
      previousRoot: hex('3'),
      previousTreeSize: '0',
      root: hex('4'),
      timezone: 'Africa/Nairobi',
      treeSize: '2',
    },
    signature: 'c2lnbmF0dXJl',
    public_key: 'MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  },
};

/** Makes receipts of collections from the log, the heads and the ledger's chains. */
@Injectable()
export class Receipts {
  constructor(
    readonly proofs: PostingProofs,
    readonly database: Database,
  ) {}

  /** @param events all events of the collection @throws DependencyUnavailable, ProofFails */
  of(events: readonly RecordedEvent[], item: TransactionItem): Promise<Receipt> {
    return readReceipt(this, events, item);
  }
}
