import {
  type CollectionEvent,
  collectionKeyOf,
  type RefundPaid,
  type RefundReleased,
  type RefundReserved,
} from '#domain/collections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type PayoutEvent, payoutStream } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import { type TransactionRow } from '#views/transactions';
import { recordset } from '#views/view-set';

const insert = {
  name: 'open-refunds-insert',
  text: `
  insert into open_refunds select * from json_populate_recordset(null::open_refunds, $1)
  on conflict (stream) do nothing`,
};
const remove = {
  name: 'open-refunds-remove',
  text: `delete from open_refunds where stream = any($1)`,
};

/** A change of a refund's claim on its collection: it begins at `since`, or has ended. */
export interface ClaimChange {
  /** The stream of the payout. */
  readonly stream: string;
  readonly since?: string;
}

/**
 * Returns the change that an event makes to the claim of a refund; undefined if none. The posting of a refund begins a
 * claim as well: the rail may report it as paid after its claim was released (REF-7).
 * @param isRefund true if the item of the event's stream is a refund
 */
export function claimChangeIn(
  event: RecordedEvent<CollectionEvent | PayoutEvent>,
  isRefund: boolean,
): ClaimChange | undefined {
  const { type, recordedAt: since } = event;
  if (type === 'RefundReserved') return { stream: refundStream(event), since };
  if (type === 'RefundReleased' || type === 'RefundPaid') return { stream: refundStream(event) };
  return type === 'WalletPosted' && isRefund ? { stream: event.stream, since } : undefined;
}

/** Stores the refunds whose claim on their collection has not ended. */
export async function projectRefunds(
  transaction: Queryable,
  events: readonly RecordedEvent<CollectionEvent | PayoutEvent>[],
  rows: ReadonlyMap<string, TransactionRow>,
): Promise<void> {
  const changes = new Map<string, ClaimChange>();
  const ended = new Set<string>();
  for (const event of events) {
    const { refund_reference = null } = rows.get(event.stream) ?? {};
    const change = claimChangeIn(event, refund_reference !== null);
    if (!change) continue;
    const isOpen = changes.get(change.stream)?.since !== undefined;
    if (change.since === undefined) ended.add(change.stream);
    if (change.since === undefined || !isOpen) changes.set(change.stream, change);
  }
  const opened = [...changes.values()].filter(({ since }) => since !== undefined);
  // A claim may end and begin again in one batch. Then the earlier row must not stay.
  if (ended.size > 0) await transaction.query(remove, [[...ended]]);
  if (opened.length > 0) await transaction.query(insert, [recordset(opened)]);
}

/** @throws TypeError if the event is not of a collection's stream */
function refundStream({
  stream,
  data: { payoutReference: reference },
}: RecordedEvent<RefundReserved | RefundReleased | RefundPaid>): string {
  const key = collectionKeyOf(stream);
  if (!key) throw new TypeError(`${stream} is no collection`);
  return payoutStream({ ...key, reference });
}
