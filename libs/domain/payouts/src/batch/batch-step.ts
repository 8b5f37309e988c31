import { type CommandMetadata, type Loaded, type Step } from '#domain/event-sourcing';
import { concurrently } from '#domain/kernel';
import { payoutStep } from '../funds/payout-funds.js';
import { payoutStream } from '../payout.events.js';
import {
  type ApprovedBatch,
  type PayoutBatch,
  payoutBatchDecider,
  type RecordedBatch,
  type RequestedBatch,
} from './payout-batch.js';
import {
  type PayoutBatchEvent,
  type PayoutBatchKey,
  payoutBatchStream,
} from './payout-batch.events.js';

export type BatchStep = Step<PayoutBatch, PayoutBatchEvent>;

/** A batch as the log has it. */
export type LoadedBatch = Loaded<PayoutBatch, PayoutBatchEvent>;

export type LoadedIn<State extends PayoutBatch> = LoadedBatch & { readonly state: State };

/** Appends that stand in the log together are written together: so many are one write of the store, or a few. */
export const maxAtOnce = 128;

/** The step of whoever takes it, at the batch's stream. */
export function batchStep(key: PayoutBatchKey, metadata: CommandMetadata): BatchStep {
  return { decider: payoutBatchDecider, stream: payoutBatchStream(key), metadata };
}

/** The step of the batch's last event's sender, at the stream of one of its payouts. */
export function itemStep(batch: LoadedIn<RecordedBatch>, reference: string) {
  return payoutStep(payoutStream({ ...batch.state.request, reference }), metadataOf(batch));
}

/** The same of its first payout: where that has taken a step, all have. */
export function firstOf(batch: LoadedIn<RecordedBatch>) {
  const [reference] = batch.state.request.references;
  if (reference === undefined) throw new TypeError('a batch has one payout at least');
  return itemStep(batch, reference);
}

/** Does work on all but the batch's first payout at once, then on that one. */
export async function firstLast<T extends { readonly stream: string }>(
  batch: LoadedIn<RequestedBatch | ApprovedBatch>,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const { stream: first } = firstOf(batch);
  await concurrently(
    items.filter(({ stream }) => stream !== first),
    maxAtOnce,
    work,
  );
  for (const item of items) if (item.stream === first) await work(item);
}

/** Whether the batch's own stream stands there. */
export function isIn<Status extends PayoutBatch['status']>(
  batch: LoadedBatch,
  status: Status,
): batch is LoadedIn<Extract<PayoutBatch, { readonly status: Status }>> {
  return batch.state.status === status;
}

/**
 * Of what the batch's last event leads to: caused by it, in its sender's name. The evidence of that call stands in the
 * batch's event alone, as large as the others together would be; its commitment stands in each.
 */
export function metadataOf(batch: LoadedBatch): CommandMetadata {
  const last = batch.events.at(-1);
  if (!last) throw new TypeError('a batch without history leads to nothing');
  const { id, metadata } = last;
  const { correlationId, actor, commitment } = metadata;
  return {
    correlationId,
    actor,
    causationId: id,
    ...(commitment === undefined ? {} : { commitment }),
  };
}

/** The batch as of the newest of these positions. */
export function latest(
  batch: LoadedBatch,
  positions: readonly LoadedBatch['position'][],
): LoadedBatch {
  const known = [batch.position, ...positions].filter((position) => position !== undefined);
  return { ...batch, position: known.reduce((a, b) => (a > b ? a : b)) };
}

/** Of the batch's first event. */
export function idOf(batch: LoadedBatch): string {
  const [first] = batch.events;
  if (!first) throw new TypeError('a batch without history has no first event');
  return first.id;
}
