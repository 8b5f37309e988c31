import { type Instant } from '#domain/kernel';
import { named } from '#shared/openapi';
import { type TransactionItem } from '#views/transactions';
import { z } from 'zod';
import { accountNoPattern } from '../accounts/account-no.js';
import { listedReferencePattern } from '../collections/create-collection.dto.js';
import { statuses } from './list-transactions.dto.js';

/** RFC 3339, UTC, milliseconds: in this process an Instant, on the wire a text. */
const instant = z.iso.datetime({ precision: 3 }) as unknown as z.ZodType<Instant>;

/** An entry of the list (LIST-10). */
export const transactionItem = named(
  'Transaction',
  z.object({
    type: z.enum(['collection', 'payout']),
    reference: z
      .string()
      .regex(listedReferencePattern)
      .describe('Yours; with `~2` to `~4`, a customer’s further try on the checkout page.'),
    status: z
      .enum(statuses)
      .describe(
        '`completed` is final. `failed` is not: money that arrives late is still posted, once, and the status becomes `completed`.',
      ),
    amount_minor: z.bigint().describe('Minor units; once completed, what was posted.'),
    currency: z.string().describe('ISO 4217 code.'),
    fee_minor: z
      .bigint()
      .describe(
        'Minor units; the wallet receives amount less fee. Fixed when the item was asked for: your basis points of `amount_minor`, rounded half-up to a whole minor unit for each item by itself, plus the flat part, never above the amount. Computed anew where another amount was posted than was asked for.',
      ),
    id: z.uuid().describe('Of the item’s first event.'),
    account_no: z.string().regex(accountNoPattern),
    channel: z.string().describe('The rail.'),
    rail_reference: z.string().nullable().describe('The rail’s identifier of the push.'),
    receipt: z.string().nullable().describe('The rail’s receipt.'),
    failure_code: z
      .string()
      .nullable()
      .describe(
        'Why it failed. The customer or M-Pesa declined: `cancelled` (M-Pesa’s code 1032), `insufficient_funds` (1), `wrong_pin` (2001), `no_answer` (1037), `expired` (1019), `below_minimum` (2), `above_maximum` (3), `daily_limit_exceeded` (4), `balance_limit_exceeded` (8), `duplicate_amount` (17), `rail_congested` (26), `subscriber_busy` (1001: another M-Pesa request is open on the phone), `subscriber_locked` (8006), `push_error` (1025, 9999), `invalid_party` (2028, SFC_IC0003). No prompt was shown: `invalid_request`, `rail_refused`, `rail_busy`, `rail_quota_exceeded`, `rail_unauthorized`, `rail_unavailable`. Decided by an operator: `not_paid`, `refunded`. More may be added. **Failed is not final**: money that arrives late is still posted, and the status becomes `completed`.',
      ),
    under_review: z.boolean().describe('A person looks into it.'),
    created_at: instant,
    completed_at: instant.nullable().describe('When it was posted here.'),
    paid_at: instant.nullable().describe('The rail’s own time, which is what its statement shows.'),
    paid_at_known: z
      .boolean()
      .describe(
        'Whether the rail has told when it was paid. Where it has not (nothing is paid yet, or a status query or a review settled it), `paid_at` is `null`, and `date_field=paid_at` shows the item on the day on which its money was posted, to your wallet or to suspense. A callback that comes later brings the time and may move the item to another day.',
      ),
    requested_minor: z
      .bigint()
      .exactOptional()
      .describe('What was asked for, where another amount was posted. Minor units.'),
  }),
) satisfies z.ZodType<TransactionItem>;

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
