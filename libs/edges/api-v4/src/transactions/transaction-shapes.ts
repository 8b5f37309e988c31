import { named } from '#shared/openapi';
import { transactionItem as item } from '#views/transactions';
import { z } from 'zod';
import { type CollectionView, referencePattern } from '#domain/collections';
import { type PayoutView } from '#domain/payouts';

/** An entry of the list (LIST-10). */
export const transactionItem = named('Transaction', item);

/** A page of the list (LIST-1, LIST-3). */
export const transactionList = named(
  'TransactionList',
  z.object({
    data: z.array(transactionItem).readonly().describe('Newest first.'),
    next_cursor: z
      .string()
      .nullable()
      .describe('For the next page; `null`: there are no more pages.'),
  }),
);
export type TransactionList = z.infer<typeof transactionList>;

export const transactionExample = {
  type: 'collection',
  reference: 'INV-1001',
  status: 'completed',
  amount_minor: 25_000,
  currency: 'KES',
  fee_minor: 375,
  id: '01a1fbba-5634-76de-a5c4-550311b90a35',
  account_no: '10000001',
  channel: 'mpesa',
  rail_reference: 'ws_CO_210120260936178708374149',
  receipt: 'TKL33D3MJ7',
  failure_code: null,
  under_review: false,
  created_at: '2026-01-21T06:36:17.870Z',
  completed_at: '2026-01-21T06:36:24.102Z',
  paid_at: '2026-01-21T06:36:23.000Z',
  paid_at_known: true,
};

const statuses = ['pending', 'completed', 'failed'] as const satisfies CollectionView['status'][];

/** The answer to a create call (COL-1). */
export const collectionResponse = named(
  'Collection',
  z.object({
    status: z.enum(statuses).describe('`pending` for a new collection.'),
    reference: z.string().regex(referencePattern).describe('As requested.'),
    rail_reference: z
      .string()
      .nullable()
      .describe(
        'The rail’s identifier of the push. `null`: it is not known whether a prompt was shown.',
      ),
    amount_minor: z.bigint().describe('Minor units.'),
    currency: z.string().describe('ISO 4217 code.'),
  }),
);
export type CollectionResponse = z.infer<typeof collectionResponse>;

export const collectionExample = {
  status: 'pending',
  reference: 'INV-1001',
  rail_reference: 'ws_CO_210120260936178708374149',
  amount_minor: 25_000,
  currency: 'KES',
};

const payoutStatuses = [
  'pending_approval',
  'pending',
  'completed',
  'failed',
  'rejected',
] as const satisfies PayoutView['status'][];

/** The answer to a call about a payout (PAY-1). */
export const payoutResponse = named(
  'Payout',
  z.object({
    status: z
      .enum(payoutStatuses)
      .describe('`pending_approval` for a new payout: another holder is to approve it.'),
    reference: z.string().regex(referencePattern).describe('As requested.'),
    rail_reference: z
      .string()
      .nullable()
      .describe('The rail’s identifier of the payment; `null` until the rail has given one.'),
    amount_minor: z.bigint().describe('Minor units; what the customer receives.'),
    currency: z.string().describe('ISO 4217 code.'),
  }),
);
export type PayoutResponse = z.infer<typeof payoutResponse>;

export const payoutExample = {
  status: 'pending_approval',
  reference: 'PAY-1001',
  rail_reference: null,
  amount_minor: 25_000,
  currency: 'KES',
};

export const payoutItemExample = {
  ...transactionExample,
  type: 'payout',
  reference: 'PAY-1001',
  rail_reference: 'AG_20260121_2010759fd5662ef6d054',
};
