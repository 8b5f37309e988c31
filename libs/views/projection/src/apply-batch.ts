import { type RecordedEvent } from '#domain/event-sourcing';
import { type CollectionEvent, collectionEventTypes } from '#domain/collections';
import { type CorrectionEvent, correctionEventTypes } from '#domain/corrections';
import { type ReservationEvent, reservationEventTypes } from '#domain/ledger';
import { type MerchantEvent, merchantEventTypes } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';
import {
  type RetirementEvent,
  retirementEventTypes,
  retirementStream,
} from '#domain/v3-retirement';
import {
  isPosted,
  projectBalances,
  projectCorrections,
  projectLedgerEntries,
  projectReservations,
} from '#views/balances';
import { projectMerchants } from '#views/merchants';
import { projectRailQueries } from '#views/rail-queries';
import { projectReceiptConflicts, projectReviews } from '#views/reviews';
import { projectTransactions } from '#views/transactions';
import { projectCollectionOrigins, projectV3Retirement } from '#views/v3-usage';

/** An event of a stream that these views have no rule for: they stop, they never skip. */
export class UnprojectableEvent extends Error {
  override readonly name = 'UnprojectableEvent';
}

/** Applies events, in log order, to every view; a statement or two per view, whatever the batch's size. */
export async function applyBatch(
  transaction: Queryable,
  events: readonly RecordedEvent[],
): Promise<void> {
  const ofMerchants = events.filter(isMerchantEvent);
  const ofCollections = events.filter(isCollectionEvent);
  const ofV3Retirement = events.filter(isV3RetirementEvent);
  const unknown = events.find((event) => !known.some((is) => is(event)));
  if (unknown)
    throw new UnprojectableEvent(
      `event ${unknown.type} at position ${unknown.position} belongs to no view of this release: run a release that knows it`,
    );
  await projectMerchants(transaction, ofMerchants);
  const rows = await projectTransactions(transaction, ofCollections);
  const ofCorrections = events.filter(isCorrectionEvent);
  const posted = ofCorrections.filter(isPosted);
  const entries = await projectLedgerEntries(
    transaction,
    posted.length === 0 ? ofCollections : inLogOrder([...ofCollections, ...posted]),
    (event) => (isCorrectionEvent(event) ? event.data : rows.get(event.stream)),
  );
  await projectBalances(transaction, entries);
  await projectCorrections(transaction, ofCorrections);
  await projectReservations(
    transaction,
    inLogOrder([...events.filter(isReservationEvent), ...ofCorrections]),
  );
  const told = { collections: ofCollections, corrections: posted };
  await projectReceiptConflicts(transaction, told, rows);
  await projectRailQueries(transaction, rows.values());
  await projectReviews(transaction, ofCollections, rows);
  await projectCollectionOrigins(transaction, ofCollections);
  await projectV3Retirement(transaction, ofV3Retirement);
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

function isCollectionEvent(event: RecordedEvent): event is RecordedEvent<CollectionEvent> {
  return event.stream.startsWith('collection-') && event.type in collectionEventTypes;
}

function isMerchantEvent(event: RecordedEvent): event is RecordedEvent<MerchantEvent> {
  return event.stream.startsWith('merchant-') && event.type in merchantEventTypes;
}

/** What these views have a rule for. */
const known = [
  isMerchantEvent,
  isCollectionEvent,
  isCorrectionEvent,
  isReservationEvent,
  isV3RetirementEvent,
] as const;
