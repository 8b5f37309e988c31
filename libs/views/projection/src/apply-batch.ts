import { type LegsPlace } from '#domain/audit';
import { type CorrectionPosted } from '#domain/corrections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type MerchantEvent, merchantIdOf, postgresTimeZone } from '#domain/merchants';
import { type BankSettlementPosted } from '#domain/settlements';
import { type Queryable } from '#infra/postgres';
import { projectActs } from '#views/acts';
import {
  entriesOf,
  isPosted,
  projectAccountDays,
  projectBalances,
  projectCorrections,
  projectLedgerEntries,
  projectLedgerSections,
  projectReservations,
  StoredLinks,
} from '#views/balances';
import { projectDayFigures } from '#views/day-figures';
import { projectMerchants } from '#views/merchants';
import {
  projectPayoutApprovals,
  projectPayoutBatches,
  projectPayoutPauses,
  projectPayouts,
  projectRefunds,
} from '#views/payouts';
import { projectRailQueries } from '#views/rail-queries';
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
import { projectSettlements } from '#views/settlements';
import { projectCollectionOrigins, projectV3Retirement } from '#views/v3-usage';
import { type LocalDays, type Remembered } from '#views/view-set';
import {
  type FilledWebhooks,
  Outcomes,
  projectWebhookEndpoints,
  webhookKey,
} from '#views/webhook-outbox';
import {
  bySubject,
  isCorrectionEvent,
  isMerchantEvent,
  isPauseEvent,
  isPayoutBatchEvent,
  isReconciliationEvent,
  isReservationEvent,
  isSettlementEvent,
  isV3RetirementEvent,
} from './event-subjects.js';

export interface ApplyOptions {
  /** True if these views owe merchants their webhooks. False if another set serves: that set has owed them or will. */
  readonly tells?: boolean;
  /** True if the set is being filled: shared receipts are then noted at the end. */
  readonly isFilling?: boolean;
  /** False if the views lack an event before these: their ledger entries are linked later. */
  readonly isLinked?: boolean;
  /** Present if the transaction keeps its statements for later; reads then use another connection. */
  readonly filling?: Filling;
}

/** The rows that the filling process knows, including those of batches that are not committed yet. */
export interface Filling extends FilledWebhooks {
  /** By stream. */
  readonly rows: Remembered<TransactionRow>;
  /** By `accountKey`; null if the account has none. */
  readonly links: Remembered<Uint8Array | null>;
  readonly days: LocalDays;
}

/** Applies events, in log order, to every view, with a statement or two per view, whatever the batch's size. */
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
    // A process that fills a set remembers its accounts: there is hardly anything to read ahead.
    isLinked && !filling ? links.expect(events) : undefined,
  ]);
  const writes = new Writes(transaction);
  const rows = filling
    ? await fillItems(writes, { events: ofItems, stored, ofMerchants }, filling)
    : await projectItems(writes, { events: ofItems, stored, tells });
  await projectDayFigures(writes, stored, rows);
  const ofCorrections = others.filter(isCorrectionEvent);
  const posted = ofCorrections.filter(isPosted);
  const settlements = others.filter(isSettlementEvent);
  const apart = [...posted, ...settlements];
  const found = (apart.length === 0 ? ofItems : inLogOrder([...ofItems, ...apart])).flatMap(
    (event) => entriesOf(event, placeOf(event, rows)),
  );
  const entries = isLinked ? await links.link(found) : found;
  await projectLedgerEntries(writes, entries);
  await projectBalances(writes, entries);
  await projectLedgerSections(writes, entries);
  await projectAccountDays(writes, entries);
  await projectCorrections(writes, ofCorrections);
  await projectSettlements(writes, settlements);
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
  await projectRefunds(writes, ofItems, rows);
  await projectPayoutApprovals(writes, ofPayouts, rows);
  await projectPayoutPauses(writes, others.filter(isPauseEvent));
  await projectPayoutBatches(writes, others.filter(isPayoutBatchEvent), { ofPayouts, rows });
  await projectReviews(writes, ofItems, rows, stored);
  await projectCollectionOrigins(writes, ofCollections);
  await projectV3Retirement(writes, others.filter(isV3RetirementEvent));
  await projectReconciliations(writes, others.filter(isReconciliationEvent));
  await projectActs(writes, events);
  await writes.done();
}

interface ItemsOfBatch {
  readonly events: readonly RecordedEvent<ItemEvent>[];
  readonly stored: ReadonlyMap<string, TransactionRow>;
}

/** Writes the items' rows and the merchants' webhooks. @returns the rows that the batch touched */
async function projectItems(
  writes: Queryable,
  { events, stored, tells }: ItemsOfBatch & { readonly tells: boolean },
): Promise<ReadonlyMap<string, TransactionRow>> {
  const outcomes = new Outcomes();
  const rows = await projectTransactions(writes, events, stored, outcomes.note);
  await outcomes.write(writes, tells);
  return rows;
}

/** Does the same as `projectItems` for a set that is being filled. */
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

/** An event with legs that is in no item's stream. */
type PostedApart = RecordedEvent<CorrectionPosted> | RecordedEvent<BankSettlementPosted>;

/** The merchant, mode and currency of an event's legs, from its item's row or from the event itself. */
function placeOf(
  event: RecordedEvent<ItemEvent> | PostedApart,
  rows: ReadonlyMap<string, TransactionRow>,
): LegsPlace | undefined {
  if (event.type === 'CorrectionPosted') return event.data;
  if (event.type === 'BankSettlementPosted')
    return { mode: event.data.mode, currency: event.data.currency };
  const row = rows.get(event.stream);
  return row && { merchantId: row.merchant_id, mode: row.mode, currency: row.currency };
}

/**
 * Statements whose rows are not needed. In a pipelined transaction they are sent one after the other and awaited
 * together; the first failure is reported.
 */
class Writes implements Queryable {
  private readonly sent: Promise<unknown>[] = [];

  constructor(private readonly transaction: Queryable) {}

  query<Row extends object>(...statement: Parameters<Queryable['query']>): Promise<Row[]> {
    const answer = this.transaction.query<Row>(...statement);
    if (this.transaction.isPipelined !== true) return answer;
    // If the batch fails before `done`, the transaction is rolled back in any case.
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
