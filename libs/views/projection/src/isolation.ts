import { type EventPlace, type RecordedEvent, UnreadableEvent } from '#domain/event-sourcing';
import { isRefusedData, type Queryable } from '#infra/postgres';
import {
  type Partition,
  partitionOf,
  type Quarantine,
  type Scope,
  stoppedWith,
} from '#views/view-set';
import { applyBatch, type ApplyOptions } from './apply-batch.js';
import { UnprojectableEvent } from './event-subjects.js';

/** A quarantine at its beginning. */
export type Stopped = Omit<Quarantine, 'retries'>;

/** Long enough for a constraint's name. A message contains no secret, but it need not contain a whole row either. */
const maxWhy = 300;

/** The quarantines while a batch is applied: the existing ones and the new ones. */
export class QuarantineSet {
  readonly added: Stopped[] = [];
  readonly #held: Set<string>;

  /** @param held the existing quarantines */
  constructor(held: readonly Partition[]) {
    this.#held = new Set(held.map(keyOf));
  }

  holds(event: { readonly stream: string; readonly data?: object }): boolean {
    if (this.#held.size === 0) return false;
    const partition = partitionOf(event);
    return partition !== undefined && this.#held.has(keyOf(partition));
  }

  /**
   * Quarantines the event's merchant and mode from here on.
   * @param appliedTo a position of the log before the event and after all applied events
   * @throws UnprojectableEvent if the event belongs to no merchant: it stops all views
   */
  stop(event: EventPlace & { readonly data?: object }, error: unknown, appliedTo: bigint): void {
    const partition = partitionOf(event);
    const why = writable(error instanceof Error ? error.message : 'unknown');
    const { type, position } = event;
    if (!partition)
      throw new UnprojectableEvent(
        `event ${type} at position ${position} belongs to no merchant and cannot be applied: ${why}`,
        { cause: error },
      );
    const { merchantId } = partition;
    for (const scope of stoppedWith(partition.scope)) {
      const key = keyOf({ merchantId, scope });
      if (this.#held.has(key)) continue;
      this.#held.add(key);
      const { stream, id: eventId, recordedAt } = event;
      const place = { position, stream, type, eventId, recordedAt };
      this.added.push({ merchantId, scope, ...place, why, appliedTo });
    }
  }
}

/** A fault may quote the event, but a text in Postgres can contain neither NUL nor half a surrogate pair. */
function writable(why: string): string {
  return why.slice(0, maxWhy).toWellFormed().replaceAll('\0', '\ufffd');
}

function keyOf({ merchantId, scope }: { merchantId: string; scope: Scope }): string {
  return `${scope}:${merchantId}`;
}

/** A batch with an event that possibly cannot be applied. */
interface SuspectBatch extends ApplyOptions {
  readonly events: readonly RecordedEvent[];
  readonly unreadable: readonly UnreadableEvent[];
  /** The position before the batch. */
  readonly from: bigint;
}

/**
 * Applies all events that can be applied, in log order. Any other event quarantines its own merchant and mode. It is
 * found by bisection, so that one in a thousand costs some twenty small batches instead of a thousand.
 * @throws UnprojectableEvent, DependencyUnavailable, and any error that is not a single event's fault
 */
export async function applyIsolated(
  transaction: Queryable,
  { events, unreadable, from, ...how }: SuspectBatch,
  held: QuarantineSet,
): Promise<void> {
  const positions = [...events, ...unreadable.map(({ place }) => place)]
    .map(({ position }) => position)
    .sort((a, b) => (a < b ? -1 : 1));
  const before = (position: bigint): bigint => {
    const index = positions.indexOf(position);
    return positions[index - 1] ?? from;
  };
  let rest = events;
  const applyUpTo = async (end?: bigint): Promise<void> => {
    const part = end === undefined ? rest : rest.filter(({ position }) => position < end);
    rest = rest.slice(part.length);
    await applyHalves(transaction, part, held, { ...how, before });
  };
  for (const error of unreadable) {
    await applyUpTo(error.place.position);
    if (!held.holds(error.place)) held.stop(error.place, error, before(error.place.position));
  }
  await applyUpTo();
}

interface Halving extends ApplyOptions {
  /** The position of the log before the event and after all events that precede it. */
  readonly before: (position: bigint) => bigint;
}

async function applyHalves(
  transaction: Queryable,
  events: readonly RecordedEvent[],
  held: QuarantineSet,
  how: Halving,
): Promise<void> {
  const free = events.filter((event) => !held.holds(event));
  const [first] = free;
  if (!first) return;
  const refusal = await refusalOf(transaction, free, how);
  if (refusal === undefined) return;
  if (free.length === 1) {
    held.stop(first, refusal, how.before(first.position));
    return;
  }
  const middle = Math.ceil(free.length / 2);
  await applyHalves(transaction, free.slice(0, middle), held, how);
  await applyHalves(transaction, free.slice(middle), held, how);
}

/** Applies all events, or none if one of them is at fault. @returns the fault */
async function refusalOf(
  transaction: Queryable,
  events: readonly RecordedEvent[],
  how: ApplyOptions,
): Promise<unknown> {
  await transaction.query('savepoint part');
  try {
    await applyBatch(transaction, events, { ...how, isLinked: false });
    await transaction.query('release savepoint part');
    return undefined;
  } catch (error) {
    if (!isFaultOfAnEvent(error)) throw error;
    await transaction.query('rollback to savepoint part');
    return error;
  }
}

/** True for an error that an event's own content can cause: the fold rejects the event, or Postgres its rows. */
export function isFaultOfAnEvent(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    error instanceof UnreadableEvent ||
    isRefusedData(error)
  );
}
