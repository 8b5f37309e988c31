import { type RecordedEvent } from '#domain/event-sourcing';
import { type Mode, writeJson } from '#domain/kernel';
import { isReturned } from '#domain/ledger';
import { type WebhookKind } from '#domain/merchants';
import {
  type ItemEvent,
  itemOf,
  type TransactionItem,
  type TransactionRow,
} from '#views/transactions';

/** The types of webhook events. A later type is counted from an event that says so (docs/adr/0032). */
export const webhookTypes = [
  'collection.completed',
  'collection.failed',
  'payout.completed',
  'payout.failed',
  'payout.rejected',
] as const;
export type WebhookType = (typeof webhookTypes)[number];

/** The event's webhook type; undefined if it is no outcome. Depends on the event alone. */
function outcomeOf(
  event: ItemEvent,
  { type }: Pick<TransactionRow, 'type'>,
): WebhookType | undefined {
  if (event.type === 'WalletPosted') return `${type}.completed`;
  if (event.type === 'RailPushRejected' || event.type === 'RailDeclined') return `${type}.failed`;
  if (event.type === 'SuspenseResolved')
    return isReturned(event.data.legs) ? 'collection.failed' : 'collection.completed';
  return event.type === 'PayoutRejected' ? 'payout.rejected' : undefined;
}

/** True if a kind of endpoint supports a type of event: V3 has only collections. */
export function supportsType(kind: WebhookKind, type: string): boolean {
  return kind === 'v4' || type.startsWith('collection.');
}

/** True if an event is an outcome, for which a webhook with its id is owed. */
export function isOutcome(event: RecordedEvent<ItemEvent>): boolean {
  return outcomeOf(event, { type: 'collection' }) !== undefined;
}

/** A webhook's body without its number, which belongs between the two parts. */
export interface NumberlessBody {
  readonly head: string;
  readonly tail: string;
}

/** Returns the body's bytes (WEB-2). */
export function bodyAround(
  event: {
    readonly id: string;
    readonly type: WebhookType;
    readonly created_at: string;
    readonly mode: Mode;
  },
  item: TransactionItem,
): NumberlessBody {
  const { id, type, created_at, mode } = event;
  const named = writeJson({ id, type, created_at, mode });
  return { head: `${named.slice(0, -1)},"sequence":`, tail: `,"data":${writeJson(item)}}` };
}

export function numbered({ head, tail }: NumberlessBody, sequence: bigint): string {
  return `${head}${sequence}${tail}`;
}

/** A webhook event that has no number yet. */
export interface Outcome extends NumberlessBody {
  readonly merchant_id: string;
  readonly mode: string;
  readonly id: string;
  readonly type: WebhookType;
  readonly position: bigint;
  readonly recorded_at: string;
  readonly callback_url: string | null;
  /** The trace of the event, if it is recorded. It is for the delivery, and no part of the views. */
  readonly traceparent?: string;
}

/** @param row the item after the event @returns undefined if the event is no outcome */
export function outcomeFrom(
  event: RecordedEvent<ItemEvent>,
  row: TransactionRow,
): Outcome | undefined {
  const type = outcomeOf(event, row);
  if (type === undefined) return undefined;
  const { id, position, recordedAt, metadata } = event;
  const { traceparent } = metadata;
  const { merchant_id, mode, callback_url } = row;
  return {
    merchant_id,
    mode,
    id,
    type,
    position,
    recorded_at: recordedAt,
    callback_url,
    ...(traceparent !== undefined && { traceparent }),
    ...bodyAround({ id, type, created_at: recordedAt, mode }, itemOf(row)),
  };
}
