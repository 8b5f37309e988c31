import {
  type EventPlace,
  type EventStore,
  type Position,
  type RecordedEvent,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { type AcceptedLosses } from '#domain/losses';
import { type Database, type Queryable } from '#infra/postgres';
import {
  type Checkpoint,
  projectedPrefixes,
  type Quarantine,
  readCheckpoint,
  viewSetIdentity,
} from '#views/view-set';
import { Checks } from './checks.js';
import { type Difference, Differences } from './difference.js';
import { MessagesCheck, type EvidenceOptions, type EvidenceReport } from './messages-check.js';
import { QuarantinedEvents } from './quarantined-events.js';
import { type LedgerPart } from './ledger-check.js';
import { Losses, type OnLoss } from './losses.js';
import { Snapshots } from './snapshots.js';

export interface VerifyOptions {
  readonly store: EventStore;
  /** Its search_path names the view set. */
  readonly database: Database;
  /** Maximum number of differences to name; all are counted. */
  readonly maxNamed: number;
  /** Maximum number of collections in memory whose events and row do not agree (yet). */
  readonly maxHeld?: number;
  /** The way to check the messages that events name; if absent, they are not checked. */
  readonly evidence?: EvidenceOptions;
  /** The losses that are not differences any more (AUD-32); if absent, none is. */
  readonly accepted?: AcceptedLosses;
  /** Receives each message and claim that is missing and not accepted. */
  readonly onLoss?: OnLoss;
  /** Called from time to time while the log is read. */
  readonly onProgress?: (progress: VerifyProgress) => void;
}

export interface VerifyProgress {
  readonly events: number;
  readonly position: Position;
  /** The end of the walk. */
  readonly upTo: Position;
}

export interface VerifyReport {
  /** The position of the views; the log was compared exactly up to here. */
  readonly position: Position;
  /** The end of the log when the comparison ended. */
  readonly head: Position;
  readonly events: number;
  readonly collections: number;
  /** Events with legs. */
  readonly postings: number;
  readonly corrections: number;
  /** Reservations whose money was not taken yet at this position. */
  readonly openReservations: number;
  /** Payouts that are not final, including declined ones that may still be paid. */
  readonly openPayouts: number;
  /** Streams that share a receipt with another, decided or not. */
  readonly sharedReceipts: number;
  readonly ledgerEntries: number;
  readonly balances: number;
  /** V4 collections young enough to have a claim. */
  readonly claims: number;
  /** Those of them whose claim is accepted as lost. */
  readonly claimsLost: number;
  /**
   * Idempotency claims older than a minute without a collection: calls that ended before their intent. `forgotten` more
   * were not checked.
   */
  readonly claimsWithoutCollection: number;
  readonly claimsForgotten: number;
  /** The messages that events name; undefined if they were not checked. */
  readonly evidence: EvidenceReport | undefined;
  /** Quarantined merchants, whose views are compared up to that event. */
  readonly quarantines: readonly Quarantine[];
  /** The number of their later events, which no view contains yet. */
  readonly quarantined: number;
  readonly differences: number;
  readonly differencesByTable: ReadonlyMap<string, number>;
  readonly named: readonly Difference[];
  readonly seconds: number;
}

const defaultMaxHeld = 100_000;
const progressEvery = 2000;
/** The keys of a hundred million receipts are read in minutes. */
const tablesTimeoutMs = 1_800_000;
/** The transaction is idle while this process puts a table's rows into memory: a million rows take seconds. */
const idleWhileKept = `set local idle_in_transaction_session_timeout = '5min'`;

/**
 * Walks the log once and compares Postgres with it, exactly, while the service runs. It only reads, waits for no lock,
 * and reads Postgres in short snapshots: a long one keeps every row version that the projector leaves, and slows each
 * of its batches.
 *
 * The walk has two parts. The first ends at the position that the views had at the beginning. The list, the ledger, the
 * acts and the claims up to there are complete and are read by pages. Then one snapshot reads the tables that store one state of
 * many events: balances, reservations, corrections and open payouts. The second part continues to the checkpoint of
 * that snapshot: there the answer is exact, and all pages are read, too. Rows that differ at the end may have changed
 * since. Each is read again with a checkpoint of its own, and compared with its own stream up to there. Sums of sections and
 * of days follow: a statement compares them with the ledger or the list in one snapshot, in which they agree at any time.
 *
 * The check folds rows of the list with the projector's own functions. That is right: a second interpretation of the
 * events would be a second truth. The check does not ask if the fold is as intended, which its specs do. It asks if the
 * tables still match the fold: batches may be lost or applied twice, rows changed by hand, backups restored in part, or
 * SQL may not do what the fold says. Money does not depend on it alone: the check takes ledger entries and balances
 * from the legs in the log, without the projector's code.
 *
 * @throws DependencyUnavailable, also if a quarantine was resumed meanwhile; UnknownEventType
 */
export async function verifyViews(options: VerifyOptions): Promise<VerifyReport> {
  const snapshots = new Snapshots(options.database);
  try {
    return await new Verification(options, snapshots, await snapshots.take(standing)).run();
  } finally {
    await snapshots.idle();
  }
}

/** The position of the views, and the quarantines. */
interface Standing {
  readonly checkpoint: Checkpoint;
  readonly quarantined: QuarantinedEvents;
  /** Identity of the set of views. */
  readonly set: bigint;
  /** Position of the first ledger entry that waits for its link, if any does. */
  readonly unlinkedFrom: Position | undefined;
}

const firstUnlinked = `
  select c.unlinked, (select min(position) from ledger_entries where link is null) as position
  from checkpoint c`;

async function standing(snapshot: Queryable): Promise<Standing> {
  // Read this before all others: the end then notices a swap in between.
  const set = await viewSetIdentity(snapshot);
  const [first] = await snapshot.query<{ unlinked: boolean; position: bigint | null }>(
    firstUnlinked,
  );
  return {
    set,
    checkpoint: await readCheckpoint(snapshot),
    quarantined: await QuarantinedEvents.read(snapshot),
    unlinkedFrom: first?.unlinked === true ? (first.position ?? undefined) : undefined,
  };
}

function ledgerPart({ checkpoint, unlinkedFrom }: Standing): LedgerPart {
  return { end: checkpoint.position, unlinkedFrom };
}

class Verification {
  private readonly differences: Differences;
  private readonly losses: Losses;
  private readonly evidence: MessagesCheck;
  private readonly begunAt = performance.now();
  private events = 0;
  private last: EventPlace | undefined;
  /** The number of unreadable events that no view contains yet. */
  private held = 0;
  /** The end of the second part; undefined during the first. */
  private end: Standing | undefined;

  constructor(
    private readonly options: VerifyOptions,
    private readonly snapshots: Snapshots,
    private readonly begun: Standing,
  ) {
    this.differences = new Differences(options.maxNamed);
    this.losses = new Losses(this.differences, options);
    this.evidence = new MessagesCheck(snapshots, this.losses, options.evidence);
  }

  /** The state of the views for the current part. */
  private get views(): Standing {
    return this.end ?? this.begun;
  }

  private get upTo(): Position {
    return this.views.checkpoint.position;
  }

  async run(): Promise<VerifyReport> {
    const { differences } = this;
    const checks = await this.begin();
    await this.walk(checks);
    const head = await this.options.store.head(projectedPrefixes);
    this.compareCheckpoint();
    await checks.finish(this.upTo, head <= this.upTo);
    const { list, ledger, balances, claims, corrections } = checks;
    await this.evidence.finish();
    this.losses.compareLists();
    await this.requireNothingResumed();
    return {
      position: this.upTo,
      head,
      events: this.events,
      collections: list.compared,
      postings: checks.postings,
      corrections: corrections.corrections,
      openReservations: corrections.openReservations,
      openPayouts: checks.payouts.open,
      sharedReceipts: checks.receipts.shared,
      ledgerEntries: ledger.compared,
      balances: balances.accounts,
      claims: claims.compared,
      claimsLost: claims.lost,
      claimsWithoutCollection: claims.withoutCollection,
      claimsForgotten: claims.forgotten,
      evidence: this.evidence.report,
      quarantines: this.views.quarantined.quarantines,
      quarantined: this.held + checks.held,
      differences: differences.count,
      differencesByTable: differences.byTable,
      named: differences.named,
      seconds: (performance.now() - this.begunAt) / 1000,
    };
  }

  private begin(): Promise<Checks> {
    const { snapshots, differences, losses } = this;
    const part = ledgerPart(this.begun);
    const { store, maxHeld = defaultMaxHeld } = this.options;
    const isIn = (event: RecordedEvent): boolean =>
      event.position <= this.upTo && !this.views.quarantined.holds(event);
    return Checks.begin({ store, snapshots, differences, losses }, { part, isIn, maxHeld });
  }

  private async walk(checks: Checks): Promise<void> {
    await this.walkPart(checks);
    await this.goOn(checks);
    await this.walkPart(checks);
    this.options.onProgress?.({ events: this.events, position: this.upTo, upTo: this.upTo });
  }

  /** Ends the first part: from here on the walk continues to the position of this snapshot. */
  private async goOn(checks: Checks): Promise<void> {
    const after = this.upTo;
    this.end = await this.snapshots.take(async (snapshot) => {
      await snapshot.query(`set local enable_seqscan = on; ${idleWhileKept}`);
      await checks.read(snapshot);
      return standing(snapshot);
    }, tablesTimeoutMs);
    await checks.goOn(after, ledgerPart(this.end));
  }

  /** Walks from the last event to the end of the part. */
  private async walkPart(checks: Checks): Promise<void> {
    const { upTo } = this;
    if (upTo <= this.metUpTo) return;
    const { onProgress } = this.options;
    for await (const event of this.readable()) {
      if (event.position > upTo) break;
      this.last = event;
      this.events += 1;
      const waiting = checks.observe(event, this.views.quarantined);
      if (waiting) await waiting;
      const looking = this.evidence.observe(event);
      if (looking) await looking;
      if (this.events % progressEvery === 0)
        onProgress?.({ events: this.events, position: event.position, upTo });
      if (event.position === upTo) break;
    }
  }

  private get metUpTo(): Position {
    return this.last?.position ?? 0n;
  }

  /** Yields the events after the last one. It notes an unreadable event and continues after it. */
  private async *readable(): AsyncGenerator<RecordedEvent, void, void> {
    const { store } = this.options;
    for (let isOver = false; !isOver;) {
      const after = this.metUpTo;
      try {
        for await (const event of store.readAll(after === 0n ? 'start' : after, projectedPrefixes))
          if (event.position > after) yield event;
        isOver = true;
      } catch (error) {
        if (!(error instanceof UnreadableEvent)) throw error;
        this.unreadable(error, this.upTo);
        isOver = error.place.position >= this.upTo;
      }
    }
  }

  /** Events that were quarantined while pages were read would be in some pages and not in others. */
  private async requireNothingResumed(): Promise<void> {
    const now = await this.snapshots.take(standing);
    if (now.set !== this.begun.set)
      throw new DependencyUnavailable(
        'read model',
        'another set of views was put in the place of the one that was compared: verify again',
      );
    const isUnmoved = ({ quarantined, unlinkedFrom }: Standing): boolean =>
      quarantined.isUnmovedIn(now.quarantined) &&
      (unlinkedFrom === undefined || unlinkedFrom === now.unlinkedFrom);
    if (isUnmoved(this.begun) && isUnmoved(this.views)) return;
    throw new DependencyUnavailable(
      'read model',
      'a merchant that stood still was resumed while it was compared: verify again',
    );
  }

  private unreadable({ place }: UnreadableEvent, upTo: Position): void {
    if (place.position > upTo) return;
    this.last = place;
    this.events += 1;
    const { stream, position, type } = place;
    if (this.views.quarantined.holds(place)) this.held += 1;
    else
      this.differences.add({
        table: 'events',
        field: 'data',
        stream,
        position: position.toString(),
        expected: `a ${type} that can be read`,
        found: null,
      });
  }

  /** Checks that the event that the views applied last is the log's event at that position. */
  private compareCheckpoint(): void {
    const { position, lastEvent } = this.views.checkpoint;
    const last = this.last && {
      position: this.last.position.toString(),
      stream: this.last.stream,
      revision: this.last.revision.toString(),
      event_id: this.last.id,
    };
    const stored = lastEvent && {
      position: position.toString(),
      stream: lastEvent.stream,
      revision: lastEvent.revision.toString(),
      event_id: lastEvent.id,
    };
    for (const field of ['position', 'stream', 'revision', 'event_id'] as const) {
      const expected = last?.[field] ?? null;
      const found =
        stored?.[field] ?? (field === 'position' && position > 0n ? String(position) : null);
      if (expected !== found) this.differences.add({ table: 'checkpoint', field, expected, found });
    }
  }
}
