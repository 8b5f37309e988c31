import { type RecordedEvent } from '#domain/event-sourcing';
import {
  type PayoutBatchEvent,
  payoutBatchEventTypes,
  payoutBatchStream,
  type PayoutEvent,
} from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import {
  batchCounts,
  type BatchStep,
  batchStepAfter,
  countedAs,
  noneCounted,
} from '#views/payouts';
import { type Differences } from './difference.js';
import { instantOf } from './stored-lines.js';
import {
  compareSmallTable,
  readSmallTable,
  type SmallRow,
  type SmallTable,
  type StoredTable,
} from './table-check.js';

const table: SmallTable = {
  name: 'payout_batches',
  keyIs: 'stream',
  columns: [
    ...['stream', 'mode', 'items', 'step'].map((name) => ({ name })),
    { name: 'since', sql: instantOf('since') },
    ...batchCounts.map((name) => ({ name })),
  ],
};

/** A batch by the log. */
interface Batch {
  readonly mode: string;
  readonly items: number;
  step: 'requested' | BatchStep;
  since: string;
  readonly counts: Record<(typeof batchCounts)[number], number>;
}

/**
 * Compares the progress of payout batches with the log. Memory: one entry per batch, and per payout in them that was
 * not sent yet.
 */
export class PayoutBatchesCheck {
  readonly #batches = new Map<string, Batch>();
  /** The batches' streams, by their payouts'. */
  readonly #batchOf = new Map<string, string>();
  #stored: StoredTable | undefined;

  observe({ type, data, stream, recordedAt: since }: RecordedEvent<PayoutBatchEvent>): void {
    if (type === 'PayoutBatchRequested') {
      const { mode, count: items } = data;
      const counts = { ...noneCounted };
      this.#batches.set(stream, { mode, items, step: 'requested', since, counts });
      return;
    }
    const batch = this.#batches.get(stream);
    if (batch) Object.assign(batch, { step: batchStepAfter({ type }, batch.step), since });
  }

  observePayout(event: RecordedEvent<PayoutEvent>): void {
    const { type, data, stream } = event;
    if (type === 'PayoutRequested' && data.batch !== undefined)
      this.#batchOf.set(stream, payoutBatchStream({ ...data, reference: data.batch }));
    const batch = this.#batches.get(this.#batchOf.get(stream) ?? '');
    const counted = countedAs(event);
    if (batch && counted) batch.counts[counted] += 1;
    // No later event of the payout counts.
    if (type === 'RailPayoutStarted' || type === 'PayoutRejected') this.#batchOf.delete(stream);
  }

  async read(snapshot: Queryable): Promise<void> {
    this.#stored = await readSmallTable(table, snapshot);
  }

  finish(differences: Differences): void {
    if (!this.#stored) throw new TypeError('the table of batches was not read');
    const rows = [...this.#batches].map(([stream, batch]) => {
      const { mode, items, step, since } = batch;
      const numbers = [items, ...batchCounts.map((name) => batch.counts[name])].map(String);
      const [all = '', ...counted] = numbers;
      return [stream, [stream, mode, all, step, since, ...counted] satisfies SmallRow] as const;
    });
    compareSmallTable(table, new Map<string, SmallRow>(rows), this.#stored, differences);
  }
}

export function isPayoutBatchEvent(event: RecordedEvent): event is RecordedEvent<PayoutBatchEvent> {
  return event.stream.startsWith('payout-') && event.type in payoutBatchEventTypes;
}
