import {
  type EventPlace,
  type EventStore,
  type Position,
  type RecordedEvent,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
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
import { EvidenceCheck, type EvidenceOptions, type EvidenceReport } from './evidence-check.js';
import { QuarantinedEvents } from './quarantined-events.js';
import { type LedgerPart } from './ledger-check.js';
import { Snapshots } from './snapshots.js';

export interface VerifyOptions {
  readonly store: EventStore;
  /** Its search_path names the view set. */
  readonly database: Database;
  /** Differences named at most; all are counted. */
  readonly maxNamed: number;
  /** Collections held in memory at most whose events and row do not agree (yet). */
  readonly maxHeld?: number;
  /** How the messages that events name are looked at; not at all unless given. */
  readonly evidence?: EvidenceOptions;
  /** Called now and then while the log is read. */
  readonly onProgress?: (progress: VerifyProgress) => void;
}

export interface VerifyProgress {
  readonly events: number;
  readonly position: Position;
  /** Where the walk ends. */
  readonly upTo: Position;
}

export interface VerifyReport {
  /** Of the views; the log was compared up to here, exactly. */
  readonly position: Position;
  /** Where the log ended when the comparison did. */
  readonly head: Position;
  readonly events: number;
  readonly collections: number;
  /** Events with legs. */
  readonly postings: number;
  readonly corrections: number;
  /** Reservations whose money was not taken yet at this position. */
  readonly openReservations: number;
  /** Payouts that are not final, those included that were declined and may still be paid. */
  readonly openPayouts: number;
  /** Streams that share a receipt with another, decided on or not. */
  readonly sharedReceipts: number;
  readonly ledgerEntries: number;
  readonly balances: number;
  /** V4 collections young enough to have a claim. */
  readonly claims: number;
  /**
   * Idempotency claims older than a minute without a collection: calls that ended before their intent. `forgotten`
   * more were not looked into.
   */
  readonly claimsWithoutCollection: number;
  readonly claimsForgotten: number;
  /** Of the messages that events name; undefined where they were not looked at. */
  readonly evidence: EvidenceReport | undefined;
  /** Merchants whose views stand still: compared up to there. */
  readonly quarantines: readonly Quarantine[];
  /** Their events behind it, which no view holds yet. */
  readonly quarantined: number;
  readonly differences: number;
  readonly differencesByTable: ReadonlyMap<string, number>;
  readonly named: readonly Difference[];
  readonly seconds: number;
}

const defaultMaxHeld = 100_000;
const progressEvery = 2000;
/**
 * Walks the log once and compares what follows from it with what Postgres holds, exactly, while the service runs. It
 * reads only, waits for nobody's lock, and reads Postgres in short snapshots: one that lasts keeps every row version
 * that the projector leaves, and slows each of its batches.
 *
 * The walk has two parts. The first ends where the views stood when it began; the list, the ledger and the claims up
 * to there are complete and are read by pages. Then what holds one state of many events (balances, reservations,
 * corrections, open payouts) is read in one snapshot, and the second part goes on to its checkpoint: where that stands the answer
 * is exact, and all pages are read along. Rows that differ at the end may have changed since: each is read again with
 * a checkpoint of its own, and compared with its own stream up to there.
 *
 * Rows of the list are folded by the same functions as the projector's. That is right: a second reading of the events
 * would be a second truth, and what is looked for is not whether the fold is as wanted (its specs say that) but
 * whether the tables still are what it gives: batches lost or applied twice, rows changed by hand, partial restores,
 * SQL that does not do what the fold says. Money does not rest on it alone: ledger entries and balances are taken
 * from the legs in the log here, apart from the projector's code.
 *
 * @throws DependencyUnavailable, also where a quarantine was resumed meanwhile; UnknownEventType
 */
export async function verifyViews(options: VerifyOptions): Promise<VerifyReport> {
  const snapshots = new Snapshots(options.database);
  try {
    return await new Verification(options, snapshots, await snapshots.take(standing)).run();
  } finally {
    await snapshots.idle();
  }
}

/** Where the views stand, and what stands still. */
interface Standing {
  readonly checkpoint: Checkpoint;
  readonly quarantined: QuarantinedEvents;
  /** Which set of views it is. */
  readonly set: bigint;
  /** Of the first ledger entry that waits for its link, where any does. */
  readonly unlinkedFrom: Position | undefined;
}

const firstUnlinked = `
  select c.unlinked, (select min(position) from ledger_entries where link is null) as position
  from checkpoint c`;

async function standing(snapshot: Queryable): Promise<Standing> {
  // Before all others: a swap between it and them is one that the end notices.
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
  private readonly evidence: EvidenceCheck;
  private readonly begunAt = performance.now();
  private events = 0;
  private last: EventPlace | undefined;
  /** Events that cannot be read and that no view holds yet. */
  private held = 0;
  /** Where the second part ends; undefined during the first. */
  private end: Standing | undefined;

  constructor(
    private readonly options: VerifyOptions,
    private readonly snapshots: Snapshots,
    private readonly begun: Standing,
  ) {
    this.differences = new Differences(options.maxNamed);
    this.evidence = new EvidenceCheck(snapshots, this.differences, options.evidence);
  }

  /** Of the part that is walked. */
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
    const { snapshots, differences } = this;
    const part = ledgerPart(this.begun);
    const { store, maxHeld = defaultMaxHeld } = this.options;
    const isIn = (event: RecordedEvent): boolean =>
      event.position <= this.upTo && !this.views.quarantined.holds(event);
    return Checks.begin({ store, snapshots, differences }, { part, isIn, maxHeld });
  }

  private async walk(checks: Checks): Promise<void> {
    await this.walkPart(checks);
    await this.goOn(checks);
    await this.walkPart(checks);
    this.options.onProgress?.({ events: this.events, position: this.upTo, upTo: this.upTo });
  }

  /** The first part is over: from here on the log is followed to where this snapshot stands. */
  private async goOn(checks: Checks): Promise<void> {
    const after = this.upTo;
    this.end = await this.snapshots.take(async (snapshot) => {
      await snapshot.query('set local enable_seqscan = on');
      await checks.read(snapshot);
      return standing(snapshot);
    });
    await checks.goOn(after, ledgerPart(this.end));
  }

  /** From the event that was met last to where the part ends. */
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

  /** The events behind the last one; of one that cannot be read a note is taken, and the reading goes on behind it. */
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

  /** Events that were held back as pages were read would be in some of them and not in others. */
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

  /** The event that the views say they applied last is the log's at that position. */
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
