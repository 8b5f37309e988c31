import { type Clock, msFromInstant, type Timer } from '#domain/kernel';
import {
  type EventPlace,
  type EventStore,
  EventStoreUnavailable,
  holdsEvent,
  type Position,
  type RecordedEvent,
  type Subscription,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { type Metrics, tracing } from '#infra/runtime';
import { type Checkpoint, CheckpointMoved, projectedPrefixes } from '#views/view-set';
import { FreshnessWatch } from './freshness-watch.js';
import { retryQuarantine } from './retry.js';
import { traceProjection } from './trace-projection.js';
import { type Leadership, type QuarantinedViews, type Views } from './sql-views.js';

/** The log does not contain the last event that the views applied: they belong to another log. */
export class ForeignLog extends Error {
  override readonly name = 'ForeignLog';
}

interface ProjectorOptions {
  readonly store: EventStore;
  readonly views: Views;
  /** The quarantined views, which resume on request; if absent, they never resume. */
  readonly quarantined?: QuarantinedViews;
  readonly lease: Leadership;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly metrics: Metrics;
  /** Maximum number of events per batch. */
  readonly maxBatch?: number;
  /** Called for each batch once it is durable. */
  readonly onApplied?: (events: number, position: Position) => void;
}

/** Maximum number of events per transaction: few enough not to disturb readers. */
const defaultMaxBatch = 1000;
/** Batches of events read ahead of the database; beyond them, the subscription waits. */
const maxBatchesAhead = 4;
/**
 * The time for which a batch waits for more events. A collection's intent and its push's answer are milliseconds apart:
 * if applied together, they write one row instead of two. Under load it waits longer, since each transaction has a
 * cost.
 */
const linger = { idleMs: 40, busyMs: 150, busyEventsPerMs: 0.4 };
const freshnessEveryMs = 1000;
export const renewEveryMs = 1500;
const retriesEveryMs = 1000;
/** A term that had nothing to apply for this long counts as healthy. */
const quietMs = 3000;
/**
 * Looks in a row, one each `freshnessEveryMs`, at which the views lack events and the subscription has delivered nothing.
 * At one more, the term ends. A node that has lost its leader keeps subscriptions open and delivers nothing, without an
 * error. A healthy one delivers within milliseconds, and ten seconds leave most of READ_MODEL_MAX_AGE for the next term.
 */
const maxSilentLooks = 10;

/** Follows the log and maintains the views: one leader at a time, fenced, with the effect of exactly-once delivery. */
export class Projector {
  private checkpoint: Checkpoint = { position: 0n };
  #failedTerms = 0;
  private quietSince = 0;
  /** The newest event taken from the log: an event that is delivered again is not taken twice. */
  private readTo = 0n;
  private readonly buffer: (RecordedEvent | UnreadableEvent)[] = [];
  /** True if the subscription has delivered anything since the last look, a checkpoint included. */
  private hasHeard = false;
  private silentLooks = 0;
  private upTo: Position | undefined;
  /** Batches, and parts of quarantined events, are applied one at a time. */
  private applying: Promise<unknown> = Promise.resolve();
  private waiting: (() => void)[] = [];
  private readonly freshness: FreshnessWatch;
  private readonly maxBatch: number;
  private readonly lag;
  private readonly applied;
  private readonly quarantined;

  constructor(private readonly options: ProjectorOptions) {
    const { metrics, store, views, clock, maxBatch = defaultMaxBatch } = options;
    this.maxBatch = maxBatch;
    this.freshness = new FreshnessWatch(store, views, clock);
    this.lag = metrics.gauge({
      name: 'projector_lag_seconds',
      help: 'Time for which the views have lacked events of the log, or the age of the newest event when applied',
    });
    this.applied = metrics.counter({
      name: 'projector_events_total',
      help: 'Events applied to the views',
    });
    metrics.gauge({
      name: 'projector_leading',
      help: '1 in the projector that leads, 0 in one that stands by',
      collect: () => (this.options.lease.fence === undefined ? 0 : 1),
    });
    this.quarantined = metrics.gauge({
      name: 'projector_quarantined',
      help: 'Parts of merchants’ views (a mode, or the merchant’s own stream) quarantined at an event that cannot be applied',
    });
  }

  /**
   * The number of consecutive terms that ended in an error before they applied anything. The current term counts until
   * it applies something or has had nothing to do for a while. This number reveals a projector that loops on errors.
   */
  get failedTerms(): number {
    return this.#failedTerms;
  }

  /**
   * One term of leadership: takes the lease and follows the log until stopped or until an error. `idle`: another
   * process leads.
   * @throws the error that ended the term; the next term begins at the checkpoint
   */
  async lead(stop: AbortSignal): Promise<'idle' | 'busy'> {
    const failedBefore = this.#failedTerms;
    this.#failedTerms += 1;
    const fence = await this.options.lease.tryAcquire();
    if (fence === undefined) {
      this.#failedTerms = 0;
      return 'idle';
    }
    await this.begin();
    const begunAt = this.checkpoint.position;
    this.quietSince = performance.now();
    try {
      await this.follow(fence, stop);
      this.#failedTerms = failedBefore;
    } catch (error) {
      // The server drops a reader that falls behind; continuing from the checkpoint is not a fault.
      if (!(error instanceof EventStoreUnavailable) || this.checkpoint.position === begunAt)
        throw error;
      return 'busy';
    } finally {
      if (stop.aborted) await this.options.lease.release();
    }
    return 'idle';
  }

  private async follow(fence: bigint, stop: AbortSignal): Promise<void> {
    const subscription = await this.options.store.subscribe(
      this.checkpoint.position === 0n ? 'start' : this.checkpoint.position,
      projectedPrefixes,
    );
    const term = new AbortController();
    const end = (): void => {
      term.abort();
      this.wake();
    };
    stop.addEventListener('abort', end, { once: true });
    // The signal may have been aborted before the listener was added.
    if (stop.aborted) end();
    try {
      await allOrFirstFailure(
        [
          this.read(subscription, term.signal),
          this.write(fence, term.signal),
          this.every(renewEveryMs, term.signal, () => this.renew()),
          this.every(freshnessEveryMs, term.signal, () => this.noteFreshness()),
          this.every(retriesEveryMs, term.signal, () => this.retry(fence, term.signal)),
        ],
        async () => {
          end();
          await subscription.close();
        },
      );
    } finally {
      stop.removeEventListener('abort', end);
    }
  }

  /** The state of this process, for its health answer. */
  standing(): {
    readonly position: string;
    readonly leading: boolean;
    readonly role: 'leader' | 'standby';
    readonly lag_seconds: number;
  } {
    return {
      position: this.checkpoint.position.toString(),
      leading: this.options.lease.fence !== undefined,
      role: this.options.lease.fence === undefined ? 'standby' : 'leader',
      lag_seconds: this.freshness.lagMs() / 1000,
    };
  }

  private async begin(): Promise<void> {
    this.buffer.length = 0;
    this.hasHeard = false;
    this.silentLooks = 0;
    this.checkpoint = await this.options.views.checkpoint();
    this.readTo = this.checkpoint.position;
    await requireSameLog(this.options.store, this.checkpoint);
  }

  private async read(subscription: Subscription, term: AbortSignal): Promise<void> {
    for await (const item of subscription) {
      if (term.aborted) return;
      this.hasHeard = true;
      if (item.kind !== 'event' && item.kind !== 'unreadable') continue;
      const event = item.kind === 'event' ? item.event : item.error;
      const { position } = placeOf(event);
      if (position <= this.readTo) continue;
      this.readTo = position;
      this.buffer.push(event);
      this.wake();
      while (this.buffer.length >= maxBatchesAhead * this.maxBatch) {
        await this.change();
        if (isOver(term)) return;
      }
    }
  }

  private async write(fence: bigint, term: AbortSignal): Promise<void> {
    let lingerMs: number = linger.idleMs;
    while (!term.aborted) {
      if (this.next().length === 0) {
        await this.change();
        continue;
      }
      if (this.next().length < this.maxBatch) await this.options.timer.sleep(lingerMs, term);
      const applied = await this.exclusively(async () => {
        const batch = this.next();
        await this.apply(batch, fence);
        this.buffer.splice(0, batch.length);
        return batch.length;
      });
      const isBusy = applied >= lingerMs * linger.busyEventsPerMs;
      lingerMs = isBusy ? linger.busyMs : linger.idleMs;
      this.wake();
    }
  }

  /** The next batch, as far as this projector may go. */
  private next(): readonly (RecordedEvent | UnreadableEvent)[] {
    const batch = this.buffer.slice(0, this.maxBatch);
    const { upTo } = this;
    return upTo === undefined ? batch : batch.filter((event) => placeOf(event).position <= upTo);
  }

  /**
   * From now on, applies nothing after the position; if undefined, applies everything.
   * @returns the position of the views once no batch is under way
   */
  bound(upTo: Position | undefined): Promise<Position> {
    this.upTo = upTo;
    this.wake();
    return this.exclusively(() => Promise.resolve(this.checkpoint.position));
  }

  private async apply(
    batch: readonly (RecordedEvent | UnreadableEvent)[],
    fence: bigint,
  ): Promise<void> {
    const final = batch.at(-1);
    if (!final) return;
    const last = placeOf(final);
    const { views, clock } = this.options;
    const { position, stream, revision, id } = last;
    const next: Checkpoint = { position, lastEvent: { stream, revision, id } };
    const events: RecordedEvent[] = [];
    const unreadable: UnreadableEvent[] = [];
    for (const event of batch)
      if (event instanceof UnreadableEvent) unreadable.push(event);
      else events.push(event);
    const since = performance.now();
    await views.commit({ events, unreadable, from: this.checkpoint, to: next, fence });
    if (tracing) traceProjection(tracing, events, { since, nowMs: clock.nowMs() });
    this.checkpoint = next;
    this.#failedTerms = 0;
    this.applied.inc(batch.length);
    this.options.onApplied?.(batch.length, position);
    this.lag.set(Math.max(0, clock.nowMs() - msFromInstant(last.recordedAt)) / 1000);
    await this.freshness.reached(position);
  }

  /** Resumes quarantined merchants if somebody asked for it. */
  private async retry(fence: bigint, term: AbortSignal): Promise<void> {
    const { quarantined: views, store, timer } = this.options;
    if (!views) return;
    const { standing, requested, unlinked } = await views.summary();
    this.quarantined.set(standing);
    for (const merchantId of requested)
      await retryQuarantine(
        {
          store,
          views,
          timer,
          fence,
          term,
          exclusively: (work) => this.exclusively(() => work(this.checkpoint)),
        },
        merchantId,
      );
    let isDone = !unlinked || standing > 0;
    while (!isDone && !isOver(term)) isDone = await this.exclusively(() => views.link(fence));
  }

  private exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.applying.then(work);
    this.applying = done.catch(() => undefined);
    return done;
  }

  private async renew(): Promise<void> {
    if (!(await this.options.lease.renew())) throw new CheckpointMoved('the lease was lost');
  }

  private async noteFreshness(): Promise<void> {
    await this.freshness.look(this.checkpoint.position);
    this.lag.set(this.freshness.lagMs() / 1000);
    const isSilent = this.noteSilence();
    if (isSilent || this.buffer.length > 0) this.quietSince = performance.now();
    else if (performance.now() - this.quietSince > quietMs) this.#failedTerms = 0;
  }

  /**
   * The buffer holds each event until it is applied. So this ends no term that waits for the database, or for a bound to
   * be lifted.
   * @returns true if the views lack events and nothing is on its way
   * @throws EventStoreUnavailable after `maxSilentLooks`: the next term subscribes anew
   */
  private noteSilence(): boolean {
    const isSilent = this.freshness.isBehind && this.buffer.length === 0 && !this.hasHeard;
    this.hasHeard = false;
    this.silentLooks = isSilent ? this.silentLooks + 1 : 0;
    if (this.silentLooks > maxSilentLooks)
      throw new EventStoreUnavailable('the subscription delivers nothing, but the log has grown');
    return isSilent;
  }

  /** Runs the task at once and then repeatedly, until the term ends. */
  private async every(ms: number, term: AbortSignal, task: () => Promise<void>): Promise<void> {
    while (!term.aborted) {
      await task();
      await this.options.timer.sleep(ms, term);
    }
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/** @throws ForeignLog if the log does not contain the last event that the views applied */
export async function requireSameLog(store: EventStore, { lastEvent }: Checkpoint): Promise<void> {
  if (!lastEvent || (await holdsEvent(store, lastEvent))) return;
  throw new ForeignLog(
    `the log does not hold event ${lastEvent.id} that the views applied last: ` +
      'point EVENTSTORE_URL and DATABASE_URL at stores that belong together, or drop the views schema to rebuild it',
  );
}

export function placeOf(event: RecordedEvent | UnreadableEvent): EventPlace {
  return event instanceof UnreadableEvent ? event.place : event;
}

/** Reads the signal through a function, so that the compiler does not assume its value across an await. */
export function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Ends all tasks as soon as one ends or fails, waits for the rest, and reports the first failure. */
async function allOrFirstFailure(
  tasks: readonly Promise<void>[],
  endAll: () => Promise<void>,
): Promise<void> {
  try {
    await Promise.race(tasks);
  } finally {
    await endAll();
    await Promise.allSettled(tasks);
  }
  await Promise.all(tasks);
}
