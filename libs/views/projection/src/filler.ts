import {
  type EventStore,
  EventStoreUnavailable,
  type Position,
  type RecordedEvent,
  type Subscription,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { type Timer } from '#domain/kernel';
import { type Checkpoint, projectedPrefixes } from '#views/view-set';
import { type Prepared } from './bulk.js';
import { isFaultOfAnEvent } from './isolation.js';
import { isOver, placeOf, renewEveryMs, requireSameLog } from './projector.js';
import { type SqlFilling } from './sql-filling.js';
import { type Batch, type Leadership } from './sql-views.js';

interface FillerOptions {
  readonly store: EventStore;
  readonly views: SqlFilling;
  readonly lease: Leadership;
  readonly timer: Timer;
  readonly maxBatch?: number;
  /** Called for each batch once it is applied. */
  readonly onApplied?: (events: number, position: Position) => void;
}

/** Most events of an item are then in one batch, so that its row is written once. The memory is some ten megabytes. */
const defaultMaxBatch = 4000;

/**
 * Renewals of the lease in a row, one each `renewEveryMs`, between which the subscription delivered nothing. The log has
 * more events up to the end of the filling, so a healthy node delivers within milliseconds. One that has lost its leader
 * keeps the subscription open, without an error.
 */
const maxSilentRenewals = 20;

/** A subscription that is being read. */
class Reading {
  /** Items that arrived. */
  items = 0;
  /** True while a batch waits to be written, and after the last one: no item is asked for then. */
  isPaused = false;
  isSilent = false;
  #silent = 0;
  #seen = 0;

  constructor(readonly subscription: Subscription) {}

  /** Closes the subscription after `maxSilentRenewals` looks without an item. */
  look(): void {
    const isSilent = !this.isPaused && this.items === this.#seen;
    this.#silent = isSilent ? this.#silent + 1 : 0;
    this.#seen = this.items;
    if (this.#silent < maxSilentRenewals || this.isSilent) return;
    this.isSilent = true;
    void this.subscription.close();
  }

  /** @throws EventStoreUnavailable if the subscription was closed for its silence */
  requireHeard(): void {
    if (this.isSilent)
      throw new EventStoreUnavailable('the subscription delivers nothing, but the log has more');
  }
}

/** A batch that is being written. */
interface Underway {
  readonly batch: Batch;
  /** Resolves to undefined once the batch is written, or to an event's fault; nothing is written then. */
  readonly fault: Promise<unknown>;
}

/**
 * Fills a set of views that no process reads yet from the log. While Postgres writes a batch, the filler reads, folds
 * and encodes the next one, and no more than that one.
 */
export class Filler {
  #reading: Reading | undefined;

  constructor(private readonly options: FillerOptions) {}

  /**
   * One term of leadership, up to the position or until it is stopped.
   * @returns `idle`: another process leads the set
   * @throws the error that ended the term; the next term begins at the checkpoint
   */
  async fill(upTo: Position, stop: AbortSignal): Promise<'idle' | 'done'> {
    const { lease, store, views } = this.options;
    const fence = await lease.tryAcquire();
    if (fence === undefined) return 'idle';
    const over = new AbortController();
    const renewing = this.#renew(over.signal);
    try {
      const from = await views.begin();
      await requireSameLog(store, from);
      if (from.position < upTo) await this.#apply(from, { upTo, fence, stop });
    } finally {
      over.abort();
      await renewing;
      // No process waits for the lease; if it cannot be released, it expires.
      await lease.release().catch(() => undefined);
    }
    return 'done';
  }

  async #apply(
    from: Checkpoint,
    { upTo, fence, stop }: { upTo: Position; fence: bigint; stop: AbortSignal },
  ): Promise<void> {
    const { store, maxBatch = defaultMaxBatch } = this.options;
    const after = from.position === 0n ? 'start' : from.position;
    const subscription = await store.subscribe(after, projectedPrefixes);
    const reading = new Reading(subscription);
    this.#reading = reading;
    const end = (): void => void subscription.close();
    stop.addEventListener('abort', end, { once: true });
    let underway: Underway | undefined;
    try {
      for await (const batch of batches(reading, { from, upTo, maxBatch, fence })) {
        if (stop.aborted) break;
        underway = await this.#next(batch, underway);
      }
      await this.#written(underway);
      reading.requireHeard();
    } finally {
      this.#reading = undefined;
      stop.removeEventListener('abort', end);
      await Promise.allSettled([underway?.fault, subscription.close()]);
    }
  }

  /** Prepares the batch, waits until the previous one is written, and begins to write this one. */
  async #next(batch: Batch, before: Underway | undefined): Promise<Underway | undefined> {
    const { views } = this.options;
    const ready = await this.#prepared(batch);
    // If the previous batch was written differently than assumed, this one is prepared again.
    const statements = (await this.#written(before)) ? ready : await this.#prepared(batch);
    if (statements) return { batch, fault: faultOf(views.write(batch, statements)) };
    await this.#writeParts(batch);
    return undefined;
  }

  /** @returns undefined if an event is at fault */
  async #prepared(batch: Batch): Promise<readonly Prepared[] | undefined> {
    if (batch.unreadable?.length) return undefined;
    try {
      return await this.options.views.prepare(batch);
    } catch (error) {
      if (isFaultOfAnEvent(error)) return undefined;
      throw error;
    }
  }

  /** @returns false if it had to be written in parts */
  async #written(underway: Underway | undefined): Promise<boolean> {
    if (!underway) return true;
    if ((await underway.fault) !== undefined) {
      await this.#writeParts(underway.batch);
      return false;
    }
    this.#tell(underway.batch);
    return true;
  }

  async #writeParts(batch: Batch): Promise<void> {
    await this.options.views.writeParts(batch);
    this.#tell(batch);
  }

  #tell({ events, unreadable = [], to }: Batch): void {
    this.options.onApplied?.(events.length + unreadable.length, to.position);
  }

  /** The next batch, which names the fence, notices a lease that could not be renewed. */
  async #renew(over: AbortSignal): Promise<void> {
    const { lease, timer } = this.options;
    while (!over.aborted) {
      await timer.sleep(renewEveryMs, over);
      if (isOver(over)) return;
      await lease.renew().catch(() => undefined);
      this.#reading?.look();
    }
  }
}

/** @returns undefined once it is done @throws an error that is not an event's fault, when awaited */
function faultOf(writing: Promise<void>): Promise<unknown> {
  const fault = writing.then(
    () => undefined,
    (error: unknown) => {
      if (isFaultOfAnEvent(error)) return error;
      throw error;
    },
  );
  // It is awaited when the next batch is ready.
  fault.catch(() => undefined);
  return fault;
}

/** Yields the events of the log in consecutive batches, up to and including the position. */
async function* batches(
  reading: Reading,
  {
    from,
    upTo,
    maxBatch,
    fence,
  }: { from: Checkpoint; upTo: Position; maxBatch: number; fence: bigint },
): AsyncGenerator<Batch, void, void> {
  let [at, last] = [from, from];
  let [events, unreadable]: [RecordedEvent[], UnreadableEvent[]] = [[], []];
  const taken = (): Batch => {
    const batch = { events, unreadable, from: at, to: last, fence };
    [at, events, unreadable] = [last, [], []];
    return batch;
  };
  for await (const item of reading.subscription) {
    reading.items += 1;
    if (item.kind !== 'event' && item.kind !== 'unreadable') continue;
    const event = item.kind === 'event' ? item.event : item.error;
    const { position, stream, revision, id } = placeOf(event);
    if (position <= last.position) continue;
    if (position > upTo) break;
    if (event instanceof UnreadableEvent) unreadable.push(event);
    else events.push(event);
    last = { position, lastEvent: { stream, revision, id } };
    if (events.length + unreadable.length >= maxBatch) {
      reading.isPaused = true;
      yield taken();
      reading.isPaused = false;
    }
    if (position >= upTo) break;
  }
  reading.isPaused = true;
  if (last !== at) yield taken();
}
