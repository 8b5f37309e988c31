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

/** The most concurrent appends. The store writes concurrent appends together, so these take one write or a few. */
export const maxAtOnce = 128;

/** Returns the step on the batch's stream with this metadata. */
export function batchStep(key: PayoutBatchKey, metadata: CommandMetadata): BatchStep {
  return { decider: payoutBatchDecider, stream: payoutBatchStream(key), metadata };
}

/** Returns the step on the stream of one of its payouts, in the name of the batch's last event's sender. */
export function itemStep(batch: LoadedIn<RecordedBatch>, reference: string) {
  return payoutStep(payoutStream({ ...batch.state.request, reference }), metadataOf(batch));
}

/** Returns the same step for its first payout: if that has taken a step, all have. */
export function firstOf(batch: LoadedIn<RecordedBatch>) {
  const [reference] = batch.state.request.references;
  if (reference === undefined) throw new TypeError('a batch has one payout at least');
  return itemStep(batch, reference);
}

/** Works on all payouts except the batch's first at once, then on the first. */
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

/** True if the batch's own stream has that status. */
export function isIn<Status extends PayoutBatch['status']>(
  batch: LoadedBatch,
  status: Status,
): batch is LoadedIn<Extract<PayoutBatch, { readonly status: Status }>> {
  return batch.state.status === status;
}

/**
 * Returns the metadata for the events that the batch's last event causes, in its sender's name. Only the batch's event
 * has the evidence of that call, because it would be too large to repeat in each; each has its commitment.
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

/** Returns the batch at the newest of these positions. */
export function latest(
  batch: LoadedBatch,
  positions: readonly LoadedBatch['position'][],
): LoadedBatch {
  const known = [batch.position, ...positions].filter((position) => position !== undefined);
  return { ...batch, position: known.reduce((a, b) => (a > b ? a : b)) };
}

/** Returns the id of the batch's first event. */
export function idOf(batch: LoadedBatch): string {
  const [first] = batch.events;
  if (!first) throw new TypeError('a batch without history has no first event');
  return first.id;
}
