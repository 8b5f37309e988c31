import { type Position, type RecordedEvent, type UnreadableEvent } from '#domain/event-sourcing';
import { type Database, holdsFence, type Queryable, type Transaction } from '#infra/postgres';
import { applyBatch, type ApplyOptions } from './apply-batch.js';
import { applyIsolated, QuarantineSet, isFaultOfAnEvent, type Stopped } from './isolation.js';
import { linkHeldEntries } from '#views/balances';
import {
  advanceCheckpoint,
  type Checkpoint,
  CheckpointMoved,
  databaseNow,
  endQuarantines,
  quarantinedPartitions,
  moveQuarantines,
  noteFresh,
  noteLinked,
  noteRetried,
  noteUnlinked,
  type Partition,
  partitionOf,
  putQuarantines,
  type Quarantine,
  quarantinesOf,
  type QuarantineSummary,
  readCheckpoint,
  type Scope,
  summaryOf,
} from '#views/view-set';

/** Some of a merchant's quarantined events, in log order. */
interface Resumption {
  readonly merchantId: string;
  /** The scopes that are tried, without those that failed before in the same retry. */
  readonly scopes: readonly Scope[];
  readonly events: readonly RecordedEvent[];
  readonly unreadable: readonly UnreadableEvent[];
  /** These contain all events of the scopes up to here, from the scope that is furthest behind. */
  readonly upTo: bigint;
  /** True if `upTo` is the checkpoint: scopes that do not fail then leave the quarantine. */
  readonly isEnd: boolean;
}

/**
 * Applies a part of a merchant's quarantined events, in a transaction of its own.
 * @returns the scopes that are quarantined again
 */
export async function resume(
  transaction: Queryable,
  { merchantId, scopes, events, unreadable, upTo, isEnd }: Resumption,
  how: ApplyOptions = {},
): Promise<readonly Scope[]> {
  const all = await quarantinesOf(transaction, merchantId);
  const tried = all.filter(({ scope }) => scopes.includes(scope));
  const others = all.filter(({ scope }) => !scopes.includes(scope));
  const held = new QuarantineSet(others);
  const batch = {
    events: events.filter(isFor(tried)),
    unreadable: unreadable.filter(({ place }) => isFor(tried)(place)),
    from: tried.reduce((min, { appliedTo }) => (appliedTo < min ? appliedTo : min), upTo),
    ...how,
  };
  await applyIsolated(transaction, batch, held);
  const failed = held.added.map(({ scope }) => scope);
  const well = tried.map(({ scope }) => scope).filter((scope) => !failed.includes(scope));
  if (held.added.length > 0) await putQuarantines(transaction, held.added);
  if (isEnd) await endQuarantines(transaction, merchantId, well);
  else await moveQuarantines(transaction, merchantId, well, upTo);
  return failed;
}

/** True if the event belongs to one of the scopes and is not applied yet. */
function isFor(
  tried: readonly Quarantine[],
): (event: Parameters<typeof partitionOf>[0] & { readonly position: bigint }) => boolean {
  return (event) => {
    const partition: Partition | undefined = partitionOf(event);
    const of = tried.find(
      ({ merchantId, scope }) => partition?.merchantId === merchantId && partition.scope === scope,
    );
    return of !== undefined && event.position > of.appliedTo;
  };
}

/** Events in log order, between two checkpoints. */
export interface Batch {
  readonly events: readonly RecordedEvent[];
  /** Events between the checkpoints that cannot be read. */
  readonly unreadable?: readonly UnreadableEvent[];
  readonly from: Checkpoint;
  readonly to: Checkpoint;
  /** Fence of the lease under which the batch was read. */
  readonly fence: bigint;
}

/** The view set as its projector writes it. */
export abstract class Views {
  /** @throws DependencyUnavailable */
  abstract checkpoint(): Promise<Checkpoint>;

  /**
   * Applies a batch and moves the checkpoint, both or neither, once: only while the checkpoint is `from` and the lease
   * has the fence. After DependencyUnavailable it is unknown if the batch was applied.
   * @throws CheckpointMoved, UnprojectableEvent, DependencyUnavailable
   */
  abstract commit(batch: Batch): Promise<void>;

  /** The current time by the one clock that judges freshness, whatever a process's own clock says. */
  abstract now(): Promise<Date>;

  /** Records that the log ended at this position at this instant, and that the views have reached it. */
  abstract noteFresh(head: Position, at: Date): Promise<void>;
}

/** The lease for the projector: the records' `Lease`, or a simulation's. */
export interface Leadership {
  /** The fence, if this process holds the lease as far as it knows. */
  readonly fence: bigint | undefined;
  /** Takes the lease if it is free, expired, or already this process's. */
  tryAcquire(): Promise<bigint | undefined>;
  /** @returns false if another process has taken it meanwhile */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * The lease for the projectors of a set of views; a batch's transaction checks its fence. Each set has its own, so that
 * two releases side by side each maintain their own set.
 */
export function projectorLease(schema: string): string {
  return `projector:${schema}`;
}

/** The projector's interface to quarantined merchants. */
export interface QuarantinedViews {
  /** The number of quarantined scopes, and the merchants for which somebody asked to resume. */
  summary(): Promise<QuarantineSummary>;
  of(merchantId: string): Promise<readonly Quarantine[]>;
  /** Applies a part of the quarantined events, all or nothing. @returns the scopes that are quarantined again */
  resume(resumption: Resumption, fence: bigint): Promise<readonly Scope[]>;
  /** Records that the retry has ended. */
  retried(merchantId: string): Promise<void>;
  /** Links ledger entries that were written during a quarantine. @returns true if none is left */
  link(fence: bigint): Promise<boolean>;
}

interface SqlViewsOptions {
  /** The set's schema, the one in the database's search_path. */
  readonly schema: string;
  /** Called with the new quarantines once they are durable. */
  readonly onStopped?: (stopped: readonly Stopped[]) => void;
  /** True, the default, if this set owes merchants their webhooks. */
  readonly tells?: boolean;
}

/** A set of views in Postgres. */
export class SqlViews extends Views {
  readonly quarantined: QuarantinedViews;

  constructor(
    private readonly database: Database,
    private readonly options: SqlViewsOptions,
  ) {
    super();
    this.quarantined = {
      summary: () => summaryOf(database),
      of: (merchantId) => quarantinesOf(database, merchantId),
      resume: (resumption, fence) =>
        this.#fenced(fence, (transaction) => resume(transaction, resumption, this.#how)),
      retried: (merchantId) => noteRetried(database, merchantId),
      link: (fence) => this.#fenced(fence, linkHeld),
    };
  }

  get #how(): ApplyOptions {
    return { tells: this.options.tells !== false };
  }

  override checkpoint(): Promise<Checkpoint> {
    return readCheckpoint(this.database);
  }

  override async commit(batch: Batch): Promise<void> {
    if (!batch.unreadable?.length && (await this.#committedWhole(batch))) return;
    const held = await this.#fenced(batch.fence, (transaction) =>
      commitParts(transaction, batch, this.#how),
    );
    if (held.added.length > 0) this.options.onStopped?.(held.added);
  }

  override now(): Promise<Date> {
    return databaseNow(this.database);
  }

  override noteFresh(head: Position, at: Date): Promise<void> {
    return noteFresh(this.database, head, at);
  }

  /** @returns false, with nothing committed, if an event of the batch is at fault */
  async #committedWhole({ events, from, to, fence }: Batch): Promise<boolean> {
    try {
      await this.#fenced(fence, async (transaction) => {
        const { quarantined, isUnlinked } = await advanceCheckpoint(transaction, from, to);
        const held = new QuarantineSet(
          quarantined === 0 ? [] : await quarantinedPartitions(transaction),
        );
        await applyBatch(
          transaction,
          quarantined === 0 ? events : events.filter((event) => !held.holds(event)),
          { ...this.#how, isLinked: !isUnlinked },
        );
      });
      return true;
    } catch (error) {
      if (!isFaultOfAnEvent(error)) throw error;
      return false;
    }
  }

  #fenced<T>(fence: bigint, work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return fenced(this.database, this.options.schema, fence, work);
  }
}

/** Runs a transaction as the leader of the set. @throws CheckpointMoved if another projector leads */
export function fenced<T>(
  database: Database,
  schema: string,
  fence: bigint,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(async (transaction) => {
    if (!(await holdsFence(transaction, projectorLease(schema), fence)))
      throw new CheckpointMoved('another projector holds the lease');
    return work(transaction);
  });
}

/** Applies a batch, event by event if needed. @returns the new quarantines in its `added` */
export async function commitParts(
  transaction: Queryable,
  { events, unreadable = [], from, to }: Batch,
  how: ApplyOptions,
): Promise<QuarantineSet> {
  await advanceCheckpoint(transaction, from, to);
  const held = new QuarantineSet(await quarantinedPartitions(transaction));
  await applyIsolated(transaction, { ...how, events, unreadable, from: from.position }, held);
  await noteUnlinked(transaction);
  if (held.added.length > 0) await putQuarantines(transaction, held.added);
  return held;
}

/** Links a page of entries; does nothing while an event is quarantined again. */
async function linkHeld(transaction: Queryable): Promise<boolean> {
  if ((await summaryOf(transaction)).standing > 0) return true;
  if (!(await linkHeldEntries(transaction))) return false;
  await noteLinked(transaction);
  return true;
}
