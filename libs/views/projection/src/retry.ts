import {
  type EventStore,
  type Position,
  type RecordedEvent,
  type SubscriptionItem,
  type UnreadableEvent,
} from '#domain/event-sourcing';
import { type Timer } from '#domain/kernel';
import { type QuarantinedViews } from './sql-views.js';
import {
  type Checkpoint,
  partitionOf,
  prefixesOf,
  type Quarantine,
  type Scope,
} from '#views/view-set';

export interface RetryOptions {
  readonly store: EventStore;
  readonly views: QuarantinedViews;
  readonly timer: Timer;
  /** Runs the work while no batch is applied, with the checkpoint of the views at that moment. */
  readonly exclusively: <T>(work: (checkpoint: Checkpoint) => Promise<T>) => Promise<T>;
  readonly fence: bigint;
  readonly term: AbortSignal;
}

/** Maximum number of events per transaction; between two of them, batches of all others are applied. */
const maxEvents = 500;
/** Deadline for reading one part; the events that were read until then form a part, too. */
const readDeadlineMs = 2000;

interface Part {
  readonly events: readonly RecordedEvent[];
  readonly unreadable: readonly UnreadableEvent[];
  readonly upTo: Position;
  readonly isEnd: boolean;
}

/** The input for reading a part. */
interface Sought {
  readonly merchantId: string;
  readonly rows: readonly Quarantine[];
  /** The views' current checkpoint. */
  readonly checkpoint: Checkpoint;
  /** If absent, the position of the scope that is furthest behind. */
  readonly from?: Position;
}

/**
 * Applies a merchant's quarantined events, in log order, part by part, until the merchant reaches the checkpoint or an
 * event stops it again. Each part is durable together with its position, so that another process can continue.
 */
export async function retryQuarantine(options: RetryOptions, merchantId: string): Promise<void> {
  const { views, exclusively, term, fence } = options;
  const failed = new Set<Scope>();
  while (!term.aborted) {
    const sought = await exclusively(async (checkpoint) => {
      const rows = (await views.of(merchantId)).filter(({ scope }) => !failed.has(scope));
      return { merchantId, rows, checkpoint };
    });
    if (sought.rows.length === 0) break;
    const part = await readPart(options, sought);
    const scopes = sought.rows.map(({ scope }) => scope);
    const resumed = await exclusively((checkpoint) =>
      part.isEnd
        ? finish(options, sought, part, checkpoint)
        : views.resume({ merchantId, scopes, ...part }, fence),
    );
    for (const scope of resumed) failed.add(scope);
  }
  if (!term.aborted) await views.retried(merchantId);
}

/** Also reads the few events that arrived since the part was read; no batch is applied meanwhile. */
async function finish(
  options: RetryOptions,
  sought: Sought,
  part: Part,
  checkpoint: Checkpoint,
): Promise<readonly Scope[]> {
  const { views, fence } = options;
  const { merchantId } = sought;
  const scopes = sought.rows.map(({ scope }) => scope);
  // Scopes that were quarantined meanwhile are tried in the next round, together with these.
  const isNew = (await views.of(merchantId)).some(
    ({ scope, position }) => !scopes.includes(scope) && position > part.upTo,
  );
  if (isNew) return views.resume({ merchantId, scopes, ...part, isEnd: false }, fence);
  const since = await readPart(options, { ...sought, checkpoint, from: part.upTo });
  const events = [...part.events, ...since.events];
  const unreadable = [...part.unreadable, ...since.unreadable];
  return views.resume({ merchantId, scopes, ...since, events, unreadable }, fence);
}

/** The next events of the scopes, up to the checkpoint at most. */
async function readPart(
  { store, timer }: RetryOptions,
  { merchantId, rows, checkpoint, from: given }: Sought,
): Promise<Part> {
  const { position: end, lastEvent } = checkpoint;
  const from = given ?? rows.reduce((min, { appliedTo: at }) => (at < min ? at : min), end);
  const events: RecordedEvent[] = [];
  const unreadable: UnreadableEvent[] = [];
  const part = (upTo: Position): Part => ({ events, unreadable, upTo, isEnd: upTo >= end });
  if (from >= end) return part(end);
  const scopes = rows.map(({ scope }) => scope);
  const isSought = (event: Parameters<typeof partitionOf>[0]): boolean => {
    const partition = partitionOf(event);
    return partition?.merchantId === merchantId && scopes.includes(partition.scope);
  };
  // The checkpoint's own event arrives as well, and shows that no event before it is missing. "Caught up" would not
  // show that if the node lags behind.
  const subscription = await store.subscribe(from === 0n ? 'start' : from, [
    ...prefixesOf(merchantId, scopes),
    ...(lastEvent ? [lastEvent.stream] : []),
  ]);
  const done = new AbortController();
  const late = timer.sleep(readDeadlineMs, done.signal).then(() => subscription.close());
  let upTo = from;
  try {
    for await (const item of subscription) {
      if (item.kind === 'caught-up') continue;
      const position = positionOf(item);
      if (position > end) return part(end);
      if (item.kind === 'event' && isSought(item.event)) events.push(item.event);
      if (item.kind === 'unreadable' && isSought(item.error.place)) unreadable.push(item.error);
      upTo = position;
      if (upTo === end || events.length + unreadable.length >= maxEvents) break;
    }
    return part(upTo);
  } finally {
    done.abort();
    await subscription.close();
    await late;
  }
}

function positionOf(item: Exclude<SubscriptionItem, { kind: 'caught-up' }>): Position {
  if (item.kind === 'event') return item.event.position;
  return item.kind === 'unreadable' ? item.error.place.position : item.position;
}
