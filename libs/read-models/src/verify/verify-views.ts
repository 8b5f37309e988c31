import { type CollectionEvent, collectionEventTypes } from '#collections';
import {
  type EventPlace,
  type EventStore,
  type Position,
  type RecordedEvent,
  UnreadableEvent,
} from '#event-sourcing';
import { type Database, type Queryable } from '#postgres';
import { type Quarantine } from '../quarantine/quarantines.js';
import { type TransactionRow } from '../transactions/item.js';
import { projectedPrefixes } from '../view-set/apply-batch.js';
import { readCheckpoint } from '../view-set/view-set.js';
import { type Checkpoint } from '../view-set/views.js';
import { BalanceCheck } from './balance-check.js';
import { ClaimsCheck } from './claims-check.js';
import { CorrectionsCheck, isCorrectionEvent, isReservationEvent } from './corrections-check.js';
import { checkDays } from './days-check.js';
import { type Difference, Differences } from './difference.js';
import { HeldBackEvents } from './held-back.js';
import { LedgerCheck, type Posting } from './ledger-check.js';
import { ListCheck } from './list-check.js';
import { ReceiptsCheck } from './receipts-check.js';
import { OneByOne } from './one-by-one.js';

export interface VerifyOptions {
  readonly store: EventStore;
  /** Its search_path names the view set. */
  readonly database: Database;
  /** Differences named at most; all are counted. */
  readonly mostNamed: number;
  /** Collections held in memory at most whose events and row do not agree (yet). */
  readonly mostHeld?: number;
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
  /** Merchants whose views stand still: compared up to there. */
  readonly quarantines: readonly Quarantine[];
  /** Their events behind it, which no view holds yet. */
  readonly heldBack: number;
  readonly differences: number;
  readonly differencesByTable: ReadonlyMap<string, number>;
  readonly named: readonly Difference[];
  readonly seconds: number;
}

const defaultMostHeld = 100_000;
const progressEvery = 2000;
/** A page takes milliseconds; the days of a very long list are one statement over all of it. */
const statementTimeoutMs = 600_000;

/**
 * Pages are read along indexes: neither from a sorted copy of a table nor, where statistics are out of date, by a
 * scan of what was an empty table for each row of another.
 */
const alongIndexes = `
  set local cursor_tuple_fraction = 0.0001;
  set local enable_seqscan = off;
  set local enable_material = off`;

/**
 * Walks the log once and compares what follows from it with what Postgres holds, in one snapshot and up to its
 * checkpoint, so that it is exact while the service runs. It reads only and waits for nobody's lock.
 *
 * Rows of the list are folded by the same functions as the projector's. That is right: a second reading of the events
 * would be a second truth, and what is looked for is not whether the fold is as wanted (its specs say that) but
 * whether the tables still are what it gives: batches lost or applied twice, rows changed by hand, partial restores,
 * SQL that does not do what the fold says. Money does not rest on it alone: ledger entries and balances are taken
 * from the legs in the log here, apart from the projector's code.
 *
 * @throws DependencyUnavailable, UnknownEventType
 */
export function verifyViews(options: VerifyOptions): Promise<VerifyReport> {
  return options.database.transaction(
    async (transaction) => {
      const snapshot = new OneByOne(transaction);
      try {
        await snapshot.query(alongIndexes);
        const views = {
          checkpoint: await readCheckpoint(snapshot),
          heldBack: await HeldBackEvents.read(snapshot),
        };
        return await new Verification(options, snapshot, views).run();
      } finally {
        await snapshot.idle();
      }
    },
    { isolation: 'repeatable read', readOnly: true, statementTimeoutMs, mayBeIdle: true },
  );
}

interface Checks {
  readonly list: ListCheck;
  readonly ledger: LedgerCheck;
  readonly balances: BalanceCheck;
  readonly claims: ClaimsCheck;
  readonly corrections: CorrectionsCheck;
  readonly receipts: ReceiptsCheck;
}

class Verification {
  private readonly differences: Differences;
  private readonly begunAt = performance.now();
  private events = 0;
  private postings = 0;
  private last: EventPlace | undefined;
  private held = 0;
  private readonly checkpoint: Checkpoint;

  constructor(
    private readonly options: VerifyOptions,
    private readonly transaction: Queryable,
    private readonly views: { readonly checkpoint: Checkpoint; readonly heldBack: HeldBackEvents },
  ) {
    this.checkpoint = views.checkpoint;
    this.differences = new Differences(options.mostNamed);
  }

  async run(): Promise<VerifyReport> {
    const { transaction, differences } = this;
    const checks = await this.begin();
    await this.walk(checks);
    const { list, ledger, balances, claims, corrections } = checks;
    const head = await this.options.store.head(projectedPrefixes);
    await transaction.query('set local enable_seqscan = on');
    this.compareCheckpoint();
    await ledger.finish();
    await balances.finish(transaction, differences);
    await corrections.finish(balances, transaction);
    await list.finish();
    await checks.receipts.finish(transaction, differences);
    await checkDays(transaction, differences);
    await claims.finish(head <= this.checkpoint.position);
    return {
      position: this.checkpoint.position,
      head,
      events: this.events,
      collections: list.compared,
      postings: this.postings,
      corrections: corrections.corrections,
      openReservations: corrections.openReservations,
      sharedReceipts: checks.receipts.shared,
      ledgerEntries: ledger.compared,
      balances: balances.accounts,
      claims: claims.compared,
      claimsWithoutCollection: claims.withoutCollection,
      claimsForgotten: claims.forgotten,
      quarantines: this.views.heldBack.quarantines,
      heldBack: this.held,
      differences: differences.count,
      differencesByTable: differences.byTable,
      named: differences.named,
      seconds: (performance.now() - this.begunAt) / 1000,
    };
  }

  private async begin(): Promise<Checks> {
    const { transaction, differences, checkpoint } = this;
    const { store, mostHeld = defaultMostHeld } = this.options;
    const upTo = checkpoint.position;
    const isIn = (event: RecordedEvent): boolean =>
      event.position <= upTo && !this.views.heldBack.holds(event);
    return {
      list: await ListCheck.begin({ store, transaction, differences, isIn, mostHeld }),
      ledger: await LedgerCheck.begin(transaction, differences),
      balances: new BalanceCheck(),
      claims: await ClaimsCheck.begin(transaction, differences),
      corrections: new CorrectionsCheck(differences),
      receipts: new ReceiptsCheck(),
    };
  }

  private async walk(checks: Checks): Promise<void> {
    const { store, onProgress } = this.options;
    const upTo = this.checkpoint.position;
    if (upTo === 0n) return;
    for await (const event of readable(store, (error) => {
      this.unreadable(error, upTo);
    })) {
      if (event.position > upTo) break;
      this.last = event;
      this.events += 1;
      // Awaited only where something has to be waited for: an await an event would cost a tenth of the speed.
      const waiting = isCollectionEvent(event)
        ? this.compare(event, checks)
        : this.compareOther(event, checks);
      if (waiting) await waiting;
      if (this.events % progressEvery === 0)
        onProgress?.({ events: this.events, position: event.position, upTo });
      if (event.position === upTo) break;
    }
    onProgress?.({ events: this.events, position: upTo, upTo });
  }

  private unreadable({ place }: UnreadableEvent, upTo: Position): void {
    if (place.position > upTo) return;
    this.last = place;
    this.events += 1;
    const { stream, position, type } = place;
    if (this.views.heldBack.holds(place)) this.held += 1;
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

  private compare(event: RecordedEvent<CollectionEvent>, checks: Checks): void | Promise<void> {
    const claimed =
      event.type === 'CollectionIntentRecorded' ? checks.claims.intended(event) : undefined;
    if (this.views.heldBack.holds(event)) {
      this.held += 1;
      return claimed;
    }
    checks.receipts.told(event);
    return after(claimed, () =>
      after(checks.list.apply(event), (row) => this.comparePosting(event, row, checks)),
    );
  }

  private compareOther(event: RecordedEvent, checks: Checks): void | Promise<void> {
    if (!isReservationEvent(event) && !isCorrectionEvent(event)) return;
    if (this.views.heldBack.holds(event)) this.held += 1;
    else if (isReservationEvent(event)) checks.corrections.reserved(event);
    else if (event.type === 'CorrectionProposed') checks.corrections.proposed({ ...event });
    else {
      checks.corrections.posted({ ...event });
      return this.compareLegs({ event, ...event.data }, checks);
    }
  }

  private comparePosting(
    event: RecordedEvent<CollectionEvent>,
    { mode, currency }: TransactionRow,
    checks: Checks,
  ): void | Promise<void> {
    if (!('legs' in event.data)) return;
    return this.compareLegs({ event, legs: event.data.legs, mode, currency }, checks);
  }

  private compareLegs(posting: Posting, { balances, ledger }: Checks): void | Promise<void> {
    this.postings += 1;
    balances.posted(posting);
    return ledger.posted(posting);
  }

  /** The event that the views say they applied last is the log's at that position. */
  private compareCheckpoint(): void {
    const { position, lastEvent } = this.checkpoint;
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

function isCollectionEvent(event: RecordedEvent): event is RecordedEvent<CollectionEvent> {
  return event.stream.startsWith('collection-') && event.type in collectionEventTypes;
}

/** All events of the log; of one that cannot be read the caller is told, and the reading goes on behind it. */
async function* readable(
  store: EventStore,
  onUnreadable: (error: UnreadableEvent) => void,
): AsyncGenerator<RecordedEvent, void, void> {
  for (let after: Position | 'start' | undefined = 'start'; after !== undefined;) {
    try {
      yield* store.readAll(after, projectedPrefixes);
      after = undefined;
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      onUnreadable(error);
      after = error.place.position;
    }
  }
}

/** Goes on at once where there is nothing to wait for. */
function after<T>(
  value: T | Promise<T>,
  goOn: (value: T) => void | Promise<void>,
): void | Promise<void> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
