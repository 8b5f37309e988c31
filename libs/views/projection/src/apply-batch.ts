import { type EventPlace, type RecordedEvent, UnreadableEvent } from '#domain/event-sourcing';
import { type CollectionEvent, collectionEventTypes } from '#domain/collections';
import { auditEventTypes, auditStream, type LegsPlace } from '#domain/audit';
import {
  type CorrectionEvent,
  correctionEventTypes,
  type CorrectionPosted,
} from '#domain/corrections';
import { drillEventTypes, drillStream } from '#domain/drills';
import { type EvidenceEvent, evidenceEventTypes, evidenceStream } from '#domain/evidence';
import { type ReservationEvent, reservationEventTypes } from '#domain/ledger';
import {
  type MerchantEvent,
  merchantEventTypes,
  merchantIdOf,
  postgresTimeZone,
} from '#domain/merchants';
import {
  type PayoutBatchEvent,
  payoutBatchEventTypes,
  type PayoutEvent,
  payoutEventTypes,
} from '#domain/payouts';
import { type RoleEvent, roleEventTypes, roleStream } from '#domain/people';
import {
  reconciliationEventTypes,
  type ReconciliationRecorded,
  reconciliationStream,
} from '#domain/reconciliation';
import { isRefusedData, type Queryable } from '#infra/postgres';
import {
  type RetirementEvent,
  retirementEventTypes,
  retirementStream,
} from '#domain/v3-retirement';
import {
  entriesOf,
  isPosted,
  projectBalances,
  projectCorrections,
  projectLedgerEntries,
  projectLedgerSections,
  projectReservations,
  StoredLinks,
} from '#views/balances';
import { projectMerchants } from '#views/merchants';
import { projectPayoutBatches, projectPayouts } from '#views/payouts';
import { projectRailQueries } from '#views/rail-queries';
import { projectActs } from '#views/acts';
import { projectReconciliations } from '#views/reconciliations';
import { projectReceiptConflicts, projectReviews } from '#views/reviews';
import {
  fillTransactions,
  foldedItems,
  type ItemEvent,
  projectTransactions,
  storedRows,
  type TransactionRow,
} from '#views/transactions';
import { projectCollectionOrigins, projectV3Retirement } from '#views/v3-usage';
import {
  type FilledWebhooks,
  Outcomes,
  projectWebhookEndpoints,
  webhookKey,
} from '#views/webhook-outbox';
import {
  type LocalDays,
  type Partition,
  partitionOf,
  type Quarantine,
  type Remembered,
  type Scope,
  stoppedWith,
} from '#views/view-set';

/** An event of a stream that these views have no rule for: they stop, they never skip. */
export class UnprojectableEvent extends Error {
  override readonly name = 'UnprojectableEvent';
}

export interface ApplyOptions {
  /** Whether merchants are told from these views: not where others serve, which have told them or will. */
  readonly tells?: boolean;
  /** Whether the set is being filled: what shared receipts there are is noted in the end. */
  readonly isFilling?: boolean;
  /** False where an event before these is not in the views: their ledger entries are linked later. */
  readonly isLinked?: boolean;
  /** Given where the transaction keeps its statements for later: what is read is read beside it. */
  readonly filling?: Filling;
}

/** What whoever fills a set knows of it, the batches that are not committed yet included. */
export interface Filling extends FilledWebhooks {
  /** By stream. */
  readonly rows: Remembered<TransactionRow>;
  /** By `accountKey`; null where the account has none. */
  readonly links: Remembered<Uint8Array | null>;
  readonly days: LocalDays;
}

/** Applies events, in log order, to every view; a statement or two per view, whatever the batch's size. */
export async function applyBatch(
  transaction: Queryable,
  events: readonly RecordedEvent[],
  { tells = true, isFilling = false, isLinked = true, filling }: ApplyOptions = {},
): Promise<void> {
  const { ofCollections, ofPayouts, ofItems, others } = bySubject(events);
  const ofMerchants = others.filter(isMerchantEvent);
  await projectMerchants(transaction, ofMerchants);
  await projectWebhookEndpoints(transaction, ofMerchants);
  const reads = filling?.reads ?? transaction;
  const links = new StoredLinks(reads, filling?.links);
  const [stored] = await Promise.all([
    storedRows(reads, ofItems, filling?.rows),
    // Whoever fills a set remembers its accounts: there is hardly anything to read ahead.
    isLinked && !filling ? links.expect(events) : undefined,
  ]);
  const writes = new Writes(transaction);
  const rows = filling
    ? await fillItems(writes, { events: ofItems, stored, ofMerchants }, filling)
    : await projectItems(writes, { events: ofItems, stored, tells });
  const ofCorrections = others.filter(isCorrectionEvent);
  const posted = ofCorrections.filter(isPosted);
  const found = (posted.length === 0 ? ofItems : inLogOrder([...ofItems, ...posted])).flatMap(
    (event) => entriesOf(event, placeOf(event, rows)),
  );
  const entries = isLinked ? await links.link(found) : found;
  await projectLedgerEntries(writes, entries);
  await projectBalances(writes, entries);
  await projectLedgerSections(writes, entries);
  await projectCorrections(writes, ofCorrections);
  await projectReservations(
    writes,
    inLogOrder([...others.filter(isReservationEvent), ...ofCorrections, ...ofPayouts]),
  );
  const told = { items: ofItems, corrections: posted, isFilling };
  await projectReceiptConflicts(writes, told, rows);
  await projectRailQueries(
    writes,
    [...rows.values()].filter(({ type }) => type === 'collection'),
    stored,
  );
  await projectPayouts(writes, ofPayouts, rows);
  await projectPayoutBatches(writes, others.filter(isPayoutBatchEvent), { ofPayouts, rows });
  await projectReviews(writes, ofItems, rows, stored);
  await projectCollectionOrigins(writes, ofCollections);
  await projectV3Retirement(writes, others.filter(isV3RetirementEvent));
  await projectReconciliations(writes, others.filter(isReconciliationEvent));
  await projectActs(writes, events);
  await writes.done();
}

/** In log order, each. */
interface BySubject {
  readonly ofCollections: readonly RecordedEvent<CollectionEvent>[];
  readonly ofPayouts: readonly RecordedEvent<PayoutEvent>[];
  /** Both. */
  readonly ofItems: readonly RecordedEvent<ItemEvent>[];
  /** Few among many items. */
  readonly others: readonly RecordedEvent[];
}

/** @throws UnprojectableEvent */
function bySubject(events: readonly RecordedEvent[]): BySubject {
  const ofCollections: RecordedEvent<CollectionEvent>[] = [];
  const ofPayouts: RecordedEvent<PayoutEvent>[] = [];
  const ofItems: RecordedEvent<ItemEvent>[] = [];
  const others: RecordedEvent[] = [];
  for (const event of events)
    if (isCollectionEvent(event)) {
      ofCollections.push(event);
      ofItems.push(event);
    } else if (isPayoutEvent(event)) {
      ofPayouts.push(event);
      ofItems.push(event);
    } else if (known.some((is) => is(event))) others.push(event);
    else
      throw new UnprojectableEvent(
        `event ${event.type} at position ${event.position} belongs to no view of this release: run a release that knows it`,
      );
  return { ofCollections, ofPayouts, ofItems, others };
}

interface ItemsOfBatch {
  readonly events: readonly RecordedEvent<ItemEvent>[];
  readonly stored: ReadonlyMap<string, TransactionRow>;
}

/** The items' rows, and what merchants hear of them. @returns the rows that the batch touched */
async function projectItems(
  writes: Queryable,
  { events, stored, tells }: ItemsOfBatch & { readonly tells: boolean },
): Promise<ReadonlyMap<string, TransactionRow>> {
  const outcomes = new Outcomes();
  const rows = await projectTransactions(writes, events, stored, outcomes.note);
  await outcomes.write(writes, tells);
  return rows;
}

/** As `projectItems`, into a set that is being filled. */
async function fillItems(
  writes: Queryable,
  {
    events,
    stored,
    ofMerchants,
  }: ItemsOfBatch & { readonly ofMerchants: readonly RecordedEvent<MerchantEvent>[] },
  filling: Filling,
): Promise<ReadonlyMap<string, TransactionRow>> {
  for (const { type, stream, data } of ofMerchants)
    if (type === 'MerchantRegistered')
      filling.days.note(merchantIdOf(stream), postgresTimeZone(data.timezone));
    else if (type === 'WebhookEndpointSet')
      filling.endpoints?.add(webhookKey(merchantIdOf(stream), data.mode));
  const outcomes = new Outcomes();
  const touched = foldedItems(events, stored, outcomes.note);
  await fillTransactions(writes, { events, stored, touched }, filling.days, filling.rows);
  await outcomes.fill(writes, filling);
  return touched;
}

/** Where an event's legs stand: its item's row says it, or the correction itself. */
function placeOf(
  event: RecordedEvent<ItemEvent> | RecordedEvent<CorrectionPosted>,
  rows: ReadonlyMap<string, TransactionRow>,
): LegsPlace | undefined {
  if (event.type === 'CorrectionPosted') return event.data;
  const row = rows.get(event.stream);
  return row && { merchantId: row.merchant_id, mode: row.mode, currency: row.currency };
}

/**
 * Statements of which nobody needs the rows. Where the transaction is pipelined they are sent one behind the other, and
 * waited for together; the first that fails is the one that is told of.
 */
class Writes implements Queryable {
  private readonly sent: Promise<unknown>[] = [];

  constructor(private readonly transaction: Queryable) {}

  query<Row extends object>(...statement: Parameters<Queryable['query']>): Promise<Row[]> {
    const answer = this.transaction.query<Row>(...statement);
    if (this.transaction.isPipelined !== true) return answer;
    // Where the batch fails before it comes to `done`, the transaction is rolled back whatever the answer.
    answer.catch(() => undefined);
    this.sent.push(answer);
    return Promise.resolve([]);
  }

  async done(): Promise<void> {
    await Promise.all(this.sent);
  }
}

function inLogOrder<E extends RecordedEvent>(events: readonly E[]): readonly E[] {
  return events.toSorted((one, other) => (one.position < other.position ? -1 : 1));
}

function isReservationEvent(event: RecordedEvent): event is RecordedEvent<ReservationEvent> {
  return event.stream.startsWith('reservations-') && event.type in reservationEventTypes;
}

function isCorrectionEvent(event: RecordedEvent): event is RecordedEvent<CorrectionEvent> {
  return event.stream.startsWith('correction-') && event.type in correctionEventTypes;
}

function isV3RetirementEvent(event: RecordedEvent): event is RecordedEvent<RetirementEvent> {
  return event.stream === retirementStream && event.type in retirementEventTypes;
}

function isReconciliationEvent(
  event: RecordedEvent,
): event is RecordedEvent<ReconciliationRecorded> {
  return event.stream === reconciliationStream && event.type in reconciliationEventTypes;
}

/** Who opened or erased evidence is an act, and in no other view. */
function isEvidenceEvent(event: RecordedEvent): event is RecordedEvent<EvidenceEvent> {
  return event.stream === evidenceStream && event.type in evidenceEventTypes;
}

/** Roles are read from their stream; who granted them is an act, and in no other view. */
function isRoleEvent(event: RecordedEvent): event is RecordedEvent<RoleEvent> {
  return event.stream === roleStream && event.type in roleEventTypes;
}

function isCollectionEvent(event: RecordedEvent): event is RecordedEvent<CollectionEvent> {
  return event.stream.startsWith('collection-') && event.type in collectionEventTypes;
}

function isPayoutEvent(event: RecordedEvent): event is RecordedEvent<PayoutEvent> {
  return event.stream.startsWith('payout-') && event.type in payoutEventTypes;
}

function isPayoutBatchEvent(event: RecordedEvent): event is RecordedEvent<PayoutBatchEvent> {
  return event.stream.startsWith('payout-') && event.type in payoutBatchEventTypes;
}

function isMerchantEvent(event: RecordedEvent): event is RecordedEvent<MerchantEvent> {
  return event.stream.startsWith('merchant-') && event.type in merchantEventTypes;
}

/** Heads are read from their stream: no view holds them. */
function isAuditEvent(event: RecordedEvent): boolean {
  return event.stream === auditStream && event.type in auditEventTypes;
}

/** The last drill is read from their stream. */
function isDrillEvent(event: RecordedEvent): boolean {
  return event.stream === drillStream && event.type in drillEventTypes;
}

/** What these views have a rule for beside items. */
const known = [
  isMerchantEvent,
  isPayoutBatchEvent,
  isCorrectionEvent,
  isReservationEvent,
  isV3RetirementEvent,
  isReconciliationEvent,
  isEvidenceEvent,
  isRoleEvent,
  isAuditEvent,
  isDrillEvent,
] as const;

/** A quarantine as it begins. */
export type Stopped = Omit<Quarantine, 'retries'>;

/** Long enough for a constraint's name; a message holds no secret, but it need not hold a whole row either. */
const maxWhy = 300;

/** What stands still while a batch is applied: what did before, and what comes to it. */
export class HeldBack {
  readonly added: Stopped[] = [];
  readonly #held: Set<string>;

  /** @param held what stands still already */
  constructor(held: readonly Partition[]) {
    this.#held = new Set(held.map(keyOf));
  }

  holds(event: { readonly stream: string; readonly data?: object }): boolean {
    if (this.#held.size === 0) return false;
    const partition = partitionOf(event);
    return partition !== undefined && this.#held.has(keyOf(partition));
  }

  /**
   * Its merchant and mode stand still from here on.
   * @param appliedTo a position of the log before the event and after all that is applied
   * @throws UnprojectableEvent for an event of nobody's own: it stops all
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

/** A fault may repeat what the event says, and a text of Postgres holds neither NUL nor half a pair of surrogates. */
function writable(why: string): string {
  return why.slice(0, maxWhy).toWellFormed().replaceAll('\0', '\ufffd');
}

function keyOf({ merchantId, scope }: { merchantId: string; scope: Scope }): string {
  return `${scope}:${merchantId}`;
}

/** A batch in which some event may not be applicable. */
interface SuspectBatch extends ApplyOptions {
  readonly events: readonly RecordedEvent[];
  readonly unreadable: readonly UnreadableEvent[];
  /** The position that the batch follows. */
  readonly from: bigint;
}

/**
 * Applies what can be applied, in log order. An event that cannot stops its own merchant and mode; it is found by
 * halves, so that one among a thousand costs some twenty small batches and not a thousand.
 * @throws UnprojectableEvent, DependencyUnavailable, and whatever says nothing of a single event
 */
export async function applyIsolated(
  transaction: Queryable,
  { events, unreadable, from, ...how }: SuspectBatch,
  held: HeldBack,
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
  /** The position of the log before the event and after all others that precede it. */
  readonly before: (position: bigint) => bigint;
}

async function applyHalves(
  transaction: Queryable,
  events: readonly RecordedEvent[],
  held: HeldBack,
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

/** Applies all or, where one of them is at fault, none. @returns the fault */
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

/** What an event's own content can bring about: the fold refuses it, or Postgres its rows. */
export function isFaultOfAnEvent(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    error instanceof UnreadableEvent ||
    isRefusedData(error)
  );
}
