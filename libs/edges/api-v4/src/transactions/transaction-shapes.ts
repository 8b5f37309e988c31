import { named } from '#shared/openapi';
import { transactionItem as item } from '#views/transactions';
import { z } from 'zod';
import { type CollectionView, referencePattern } from '#domain/collections';
import { type PayoutBatchStatus, type PayoutView } from '#domain/payouts';

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
      .describe('The cursor of the next page. `null` if there are no more pages.'),
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
  rail_reference: 'ws_CO_210120260936178~OsgBjqYCewLnus9WXrc_2A',
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
        'The rail’s identifier of the push. A customer’s number in it is replaced by `~` and 22 characters. `null` if it is not known whether a prompt was shown.',
      ),
    amount_minor: z.bigint().describe('Minor units.'),
    currency: z.string().describe('ISO 4217 code.'),
  }),
);
export type CollectionResponse = z.infer<typeof collectionResponse>;

export const collectionExample = {
  status: 'pending',
  reference: 'INV-1001',
  rail_reference: 'ws_CO_210120260936178~OsgBjqYCewLnus9WXrc_2A',
  amount_minor: 25_000,
  currency: 'KES',
};

/** The answer to a call that expects a payment (C2B-13). */
export const expectedResponse = named(
  'ExpectedPayment',
  z.object({
    status: z.enum(statuses).describe('`pending` until the rail reports the payment.'),
    reference: z.string().regex(referencePattern).describe('As requested.'),
    amount_minor: z.bigint().describe('Minor units.'),
    currency: z.string().describe('ISO 4217 code.'),
    pay_to: z
      .object({
        pay_bill: z.string().describe('The number that the customer pays.'),
        account: z
          .string()
          .describe(
            'The account that the customer types: your account number, a space and your reference: at most 20 characters.',
          ),
      })
      .describe('Show this to the customer.'),
  }),
);
export type ExpectedResponse = z.infer<typeof expectedResponse>;

export const expectedExample = {
  status: 'pending',
  reference: 'INV7',
  amount_minor: 25_000,
  currency: 'KES',
  pay_to: { pay_bill: '600100', account: '10000001 INV7' },
};

export const payoutStatuses = [
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
      .describe('`pending_approval` for a new payout, which another holder must approve.'),
    reference: z.string().regex(referencePattern).describe('As requested.'),
    rail_reference: z
      .string()
      .nullable()
      .describe('The rail’s identifier of the payment. `null` until the rail has given one.'),
    amount_minor: z.bigint().describe('The amount that the customer receives, in minor units.'),
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

export const refundExample = { ...payoutExample, reference: 'REFUND-1001' };

export const payoutItemExample = {
  ...transactionExample,
  type: 'payout',
  reference: 'PAY-1001',
  rail_reference: 'AG_20260121_2010759fd5662ef6d054',
};

const batchStatuses = [
  'pending_approval',
  'pending',
  'rejected',
] as const satisfies PayoutBatchStatus[];

const batchFields = {
  reference: z.string().regex(referencePattern).describe('As requested.'),
  status: z
    .enum(batchStatuses)
    .describe(
      'The status of the batch: `pending_approval` if it is new, `pending` once it is approved. From then on, each payout has its own status.',
    ),
  count: z.number().int().describe('How many payouts.'),
  amount_minor: z.bigint().describe('The sum that the customers receive, in minor units.'),
  currency: z.string().describe('ISO 4217 code.'),
};

/** The answer to a call about a batch (PAY-16). */
export const payoutBatchResponse = named('PayoutBatch', z.object(batchFields));
export type PayoutBatchResponse = z.infer<typeof payoutBatchResponse>;

export const payoutBatchExample = {
  reference: 'salaries-2026-11',
  status: 'pending_approval',
  count: 240,
  amount_minor: 6_000_000,
  currency: 'KES',
};

const batchSum = z.object({
  count: z.number().int(),
  amount_minor: z.bigint().describe('Minor units, without fees.'),
});

/** A batch, with totals of its payouts (PAY-20). */
export const payoutBatchSummary = named(
  'PayoutBatchSummary',
  z.object({
    ...batchFields,
    account_no: z.string(),
    channel: z.string().describe('The rail.'),
    by_status: z
      .object({
        pending_approval: batchSum,
        pending: batchSum,
        completed: batchSum,
        failed: batchSum,
        rejected: batchSum,
      })
      .describe('The payouts of the list, by status.'),
  }),
);
export type PayoutBatchSummary = z.infer<typeof payoutBatchSummary>;

const noPayouts = { count: 0, amount_minor: 0 };
export const payoutBatchItemsExample = {
  ...payoutBatchExample,
  status: 'pending',
  account_no: '10000001',
  channel: 'mpesa',
  by_status: {
    pending_approval: noPayouts,
    pending: { count: 12, amount_minor: 300_000 },
    completed: { count: 227, amount_minor: 5_675_000 },
    failed: { count: 1, amount_minor: 25_000 },
    rejected: noPayouts,
  },
};
