import { listedReferencePattern, origins } from '#domain/collections';
import { type Instant, instantFromMs, modes } from '#domain/kernel';
import { accountNoPattern } from '#domain/merchants';
import { z } from 'zod';

/** A collection or payout, as the API names it (COL-27). */
export const transactionTypes = ['collection', 'payout'] as const;
export const transactionStatuses = [
  'pending',
  'completed',
  'failed',
  'pending_approval',
  'rejected',
] as const;

const refundStatuses = ['pending', 'partial', 'refunded'] as const;

/**
 * Further traits of a column. `changes`: an event after the first one may change it. `instant`: the driver returns a
 * Date.
 */
type Trait = 'changes' | 'instant';

/** `both`: a column that the list shows. `row`: a column, never shown. `item`: shown, and derived from the columns. */
type Place = 'both' | 'row' | 'item';

function field<const P extends Place>(place: P) {
  return <S extends z.ZodType>(shape: S, ...traits: readonly Trait[]) => ({ place, shape, traits });
}
const [both, row, item] = [field('both'), field('row'), field('item')];

/** RFC 3339, UTC, milliseconds: an Instant in this process, a text on the wire. */
const instant = z.iso.datetime({ precision: 3 }) as unknown as z.ZodType<Instant>;

/**
 * Every field of a transaction, once: its column, its type, its name on the wire and its description in the reference,
 * in the order of the list's item (LIST-10). This table decides how rows are read, which columns an update writes, what
 * the list shows and what `verify` compares. Amounts are in minor units.
 */
const fields = {
  /** Position of the item's first event in the log. */
  position: row(z.bigint()),
  stream: row(z.string()),
  merchant_id: row(z.string()),
  mode: row(z.enum(modes)),
  type: both(z.enum(transactionTypes)),
  reference: both(
    z
      .string()
      .regex(listedReferencePattern)
      .describe(
        'Yours; with `~2` to `~4`, a customer’s further try on the checkout page. Of a payment that came without a push: the rail and its receipt, as `mpesa~RKL51ZDR4F`.',
      ),
  ),
  status: both(
    z
      .enum(transactionStatuses)
      .describe(
        '`completed` is final. `failed` is not: money that arrives late is still posted, once, and the status becomes `completed`.',
      ),
    'changes',
  ),
  amount_minor: both(
    z.bigint().describe('Minor units; once completed, what was posted.'),
    'changes',
  ),
  currency: both(z.string().describe('ISO 4217 code.')),
  fee_minor: both(
    z
      .bigint()
      .describe(
        'Minor units. Of a collection, the wallet receives amount less fee; of a payout, it gives amount and fee. Fixed when the item was asked for: your basis points of `amount_minor`, rounded half-up to a whole minor unit for each item by itself, plus the flat part, never above the amount. Computed anew where another amount was posted than was asked for.',
      ),
    'changes',
  ),
  id: both(z.uuid().describe('The id of the item’s first event.')),
  account_no: both(z.string().regex(accountNoPattern)),
  channel: both(z.string().describe('The rail.')),
  rail_reference: both(
    z.string().nullable().describe('The rail’s identifier of the push, or of the payment out.'),
    'changes',
  ),
  receipt: both(z.string().nullable().describe('The rail’s receipt.'), 'changes'),
  failure_code: both(
    z
      .string()
      .nullable()
      .describe(
        'Why it failed. The customer or M-Pesa declined: `cancelled` (M-Pesa’s code 1032), `insufficient_funds` (1), `wrong_pin` (2001), `no_answer` (1037), `expired` (1019), `below_minimum` (2), `above_maximum` (3), `daily_limit_exceeded` (4), `balance_limit_exceeded` (8), `duplicate_amount` (17), `rail_congested` (26), `subscriber_busy` (1001: another M-Pesa request is open on the phone), `subscriber_locked` (8006), `push_error` (1025, 9999), `invalid_party` (2028, SFC_IC0003). No prompt was shown: `invalid_request`, `rail_refused`, `rail_busy`, `rail_quota_exceeded`, `rail_unauthorized`, `rail_unavailable`, `not_sent` (PesaPost sent nothing to M-Pesa, and will not). Of a payout: `rail_float_insufficient` (1), `receiver_not_registered` (2040), `rail_account_inactive` (11, 2006), `rail_declined` (a status query says so). Decided by an operator: `not_paid`, `refunded`. A payout is `rejected` for: `rejected_by_holder`, `cancelled` (before it was sent), `insufficient_funds` (they went before they were reserved), `not_sent` (operators ended it before anything was sent), and with its whole batch for `reference_taken` or `request_lost`. More may be added. **Failed is not final**: money that arrives late is still posted, and the status becomes `completed`.',
      ),
    'changes',
  ),
  under_review: both(z.boolean().describe('True while a person reviews it.'), 'changes'),
  created_at: both(instant, 'instant'),
  completed_at: both(instant.nullable().describe('When it was posted here.'), 'changes', 'instant'),
  paid_at: both(
    instant.nullable().describe('The rail’s own time, which is what its statement shows.'),
    'changes',
    'instant',
  ),
  paid_at_known: item(
    z
      .boolean()
      .describe(
        'True if the rail has reported when it was paid. If it has not (nothing is paid yet, or a status query or a review settled it), `paid_at` is `null`, and `date_field=paid_at` shows the item on the day on which its money was posted, to your wallet or to suspense. A later callback brings the time and may move the item to another day.',
      ),
  ),
  /** The time of the first posting of its money: to the wallet, or to suspense, where it waited for a decision. */
  posted_at: row(instant.nullable(), 'changes', 'instant'),
  /** Position of the event that contained its receipt. */
  receipt_position: row(z.bigint().nullable(), 'changes'),
  /** Position of the event that posted it to the wallet. */
  completed_position: row(z.bigint().nullable(), 'changes'),
  /** The earlier instants that determined its day of payment, oldest first, separated by commas. */
  paid_before: row(z.string().nullable(), 'changes'),
  /** For a payout: the digest of its number, as the history has it. */
  phone_hmac: row(z.string().nullable()),
  /** For a payout that is part of a batch. */
  batch_reference: row(z.string().nullable()),
  /** For a collection through V3: the destination of its own webhooks. */
  callback_url: row(z.string().nullable()),
  /** For a collection: the interface that created it. */
  came_by: row(z.enum(origins).nullable()),
  origin: item(
    z
      .literal('c2b')
      .exactOptional()
      .describe(
        'Present if the customer paid without a push, to the pay bill or till. Such an item is `completed` if the customer named your account, else `pending` and under review.',
      ),
  ),
  /** Finds the item for a line of the rail's statement: our code (for a collection), and the masked number (REC-4). */
  account_reference: row(z.string().nullable()),
  phone_masked: row(z.string().nullable()),
  batch: item(z.string().exactOptional().describe('For a payout: the reference of its batch.')),
  /** For a refund: the reference of its collection, and the receipt that the rail reverses. */
  refund_reference: row(z.string().nullable()),
  reverses_receipt: row(z.string().nullable()),
  /** For a collection: the sum of its refunds without an outcome. */
  refunding_minor: row(z.bigint(), 'changes'),
  refund_status: item(
    z
      .enum(refundStatuses)
      .exactOptional()
      .describe(
        'For a collection with a refund. `pending`: a refund has no outcome yet. `partial`: the customer got a part back. `refunded`: the customer got everything back. The `status` stays `completed`.',
      ),
  ),
  /** On the wire only if it is above 0. */
  refunded_minor: both(
    z
      .bigint()
      .exactOptional()
      .describe('For a collection: the sum that the customer got back. Minor units.'),
    'changes',
  ),
  refund_of: item(
    z
      .string()
      .exactOptional()
      .describe('For a payout that is a refund: the reference of the collection.'),
  ),
  /** For a payout that exceeded the balance of the rail's own account. */
  waiting_since: row(instant.nullable(), 'changes', 'instant'),
  /** For a payout: the time at which the rail got it. Its money moves after that, however long it waited before (REC-4). */
  started_at: row(instant.nullable(), 'changes', 'instant'),
  waiting_for_float: item(
    z
      .literal(true)
      .exactOptional()
      .describe(
        'For a payout: the rail’s own account does not cover it. It is sent automatically when the account does.',
      ),
  ),
  paused: item(
    z
      .literal(true)
      .exactOptional()
      .describe(
        'For a payout: an operator has paused payouts. It is not sent before they are resumed, but it can be cancelled.',
      ),
  ),
  /** On the wire only if another amount was posted. */
  requested_minor: both(
    z
      .bigint()
      .exactOptional()
      .describe('The amount that was asked for, if another one was posted. Minor units.'),
  ),
};

type Fields = typeof fields;
type FieldOf<P extends Place> = {
  [N in keyof Fields]: Fields[N]['place'] extends P ? N : never;
}[keyof Fields];
type Column = FieldOf<'both' | 'row'>;
type Shown = FieldOf<'both' | 'item'>;

/** One entry of the V4 transaction list, its members in the order of LIST-10. */
export const transactionItem = z.object(
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { place, shape }]) =>
      place === 'row' ? [] : [[name, shape]],
    ),
  ) as { readonly [N in Shown]: Fields[N]['shape'] },
);
export type TransactionItem = Readonly<z.infer<typeof transactionItem>>;

/** A row of the view: the item, and the columns that locate it. */
export type TransactionRow = { readonly [N in Column]: z.infer<Fields[N]['shape']> };

const columnsOf = (places: readonly Place[]): readonly Column[] =>
  (Object.keys(fields) as Column[]).filter((name) => places.includes(fields[name].place));

/** Every column, in the order of the declaration. */
export const transactionColumns = columnsOf(['both', 'row']);
const shownSometimes: ReadonlySet<Column> = new Set(['requested_minor', 'refunded_minor']);
/** The columns that the list always shows. */
const shownColumns = columnsOf(['both']).filter((name) => !shownSometimes.has(name));

export function hasTrait(column: Column, trait: Trait): boolean {
  return fields[column].traits.includes(trait);
}

/** A row as the driver returns it: instants are Date. */
export type StoredTransaction = {
  readonly [N in Column]: TransactionRow[N] extends Instant | null
    ? Date | Extract<TransactionRow[N], null>
    : TransactionRow[N];
};

export function rowFromDatabase(stored: StoredTransaction): TransactionRow {
  const found: Partial<Record<Column, unknown>> = {};
  for (const name of transactionColumns) {
    const value = stored[name];
    found[name] = value instanceof Date ? instantFromMs(value.getTime()) : value;
  }
  return found as TransactionRow;
}

/** The instant by which a list of payments sorts the item: the rail's time or, if that is unknown, the posting's (LIST-7). */
export function paidInstant(of: Pick<TransactionRow, 'paid_at' | 'posted_at'>): Instant | null {
  return of.paid_at ?? of.posted_at;
}

/** True for a payout that is sent as soon as the rail's own account covers it. */
export function isWaitingForFloat({
  waiting_since,
  status,
}: Pick<TransactionRow, 'waiting_since' | 'status'>): boolean {
  return waiting_since !== null && status === 'pending';
}

/** Returns the item as the list shows it. */
export function itemOf(of: TransactionRow): TransactionItem {
  const shown: Partial<Record<Column | Shown, unknown>> = {};
  for (const name of shownColumns) shown[name] = of[name];
  shown.paid_at_known = of.paid_at !== null;
  if (of.came_by === 'c2b') shown.origin = of.came_by;
  if (of.batch_reference !== null) shown.batch = of.batch_reference;
  const refundStatus = refundStatusOf(of);
  if (refundStatus !== undefined) shown.refund_status = refundStatus;
  if (of.refunded_minor > 0n) shown.refunded_minor = of.refunded_minor;
  if (of.refund_reference !== null) shown.refund_of = of.refund_reference;
  if (isWaitingForFloat(of)) shown.waiting_for_float = true;
  if (of.requested_minor !== of.amount_minor) shown.requested_minor = of.requested_minor;
  return shown as TransactionItem;
}

/** The state of a collection's refunds (REF-8); undefined if there is none. */
function refundStatusOf({
  amount_minor,
  refunded_minor,
  refunding_minor,
}: TransactionRow): TransactionItem['refund_status'] {
  if (refunding_minor > 0n) return 'pending';
  if (refunded_minor === 0n) return undefined;
  return refunded_minor < amount_minor ? 'partial' : 'refunded';
}

/** The masked numbers of the rows' customers, by the id of the item. */
export function phonesOf(
  rows: readonly Pick<TransactionRow, 'id' | 'phone_masked'>[],
): ReadonlyMap<string, string> {
  return new Map(
    rows.flatMap(({ id, phone_masked: phone }) => (phone === null ? [] : [[id, phone] as const])),
  );
}
