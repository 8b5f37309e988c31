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

/** What a merchant may hear of; a type that comes later is counted from an event that says so (docs/adr/0032). */
export const webhookTypes = [
  'collection.completed',
  'collection.failed',
  'payout.completed',
  'payout.failed',
  'payout.rejected',
] as const;
export type WebhookType = (typeof webhookTypes)[number];

/** What the event is to the merchant; undefined where it tells no outcome. A function of the event alone. */
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

/** Whether a kind of endpoint has words for a type of event: V3 knows of collections alone. */
export function hasWords(kind: WebhookKind, type: string): boolean {
  return kind === 'v4' || type.startsWith('collection.');
}

/** Whether an event is an outcome, for which a webhook with its id is owed. */
export function isOutcome(event: RecordedEvent<ItemEvent>): boolean {
  return outcomeOf(event, { type: 'collection' }) !== undefined;
}

/** A webhook's body, but for its number, which stands between the two. */
export interface NumberlessBody {
  readonly head: string;
  readonly tail: string;
}

/** The body's bytes (WEB-2). */
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
}

/** @param row the item as of the event; undefined where it tells no outcome */
export function outcomeFrom(
  event: RecordedEvent<ItemEvent>,
  row: TransactionRow,
): Outcome | undefined {
  const type = outcomeOf(event, row);
  if (type === undefined) return undefined;
  const { id, position, recordedAt } = event;
  const { merchant_id, mode, callback_url } = row;
  return {
    merchant_id,
    mode,
    id,
    type,
    position,
    recorded_at: recordedAt,
    callback_url,
    ...bodyAround({ id, type, created_at: recordedAt, mode }, itemOf(row)),
  };
}
