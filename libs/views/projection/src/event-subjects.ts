import { auditEventTypes, auditStream } from '#domain/audit';
import { type CollectionEvent, collectionEventTypes } from '#domain/collections';
import { type CorrectionEvent, correctionEventTypes } from '#domain/corrections';
import { drillEventTypes, drillStream } from '#domain/drills';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type EvidenceEvent, evidenceEventTypes, evidenceStream } from '#domain/evidence';
import { isLossStream, lossEventTypes } from '#domain/losses';
import { type ReservationEvent, reservationEventTypes } from '#domain/ledger';
import {
  type MerchantEvent,
  merchantEventTypes,
  type PauseEvent,
  pauseEventTypes,
} from '#domain/merchants';
import {
  pausesStream,
  type PayoutBatchEvent,
  payoutBatchEventTypes,
  type PayoutEvent,
  payoutEventTypes,
} from '#domain/payouts';
import { type RoleEvent, roleEventTypes, roleStream } from '#domain/people';
import { noticeEventTypes, noticesStream, reportEventTypes, reportsStream } from '#domain/rails';
import {
  reconciliationEventTypes,
  type ReconciliationEvent,
  reconciliationStream,
} from '#domain/reconciliation';
import {
  type BankSettlementPosted,
  isRailBalanceStream,
  isSettlementStream,
  railBalanceEventTypes,
  settlementEventTypes,
} from '#domain/settlements';
import {
  type RetirementEvent,
  retirementEventTypes,
  retirementStream,
} from '#domain/v3-retirement';
import { type ItemEvent } from '#views/transactions';

/** An event of a stream for which these views have no rule. The views stop; they never skip. */
export class UnprojectableEvent extends Error {
  override readonly name = 'UnprojectableEvent';
}

/** Events by subject, each in log order. */
interface BySubject {
  readonly ofCollections: readonly RecordedEvent<CollectionEvent>[];
  readonly ofPayouts: readonly RecordedEvent<PayoutEvent>[];
  /** Events of collections and payouts. */
  readonly ofItems: readonly RecordedEvent<ItemEvent>[];
  /** All other events: few compared with those of items. */
  readonly others: readonly RecordedEvent[];
}

/** @throws UnprojectableEvent */
export function bySubject(events: readonly RecordedEvent[]): BySubject {
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
    } else if (subjectsWithoutItems.some((is) => is(event))) others.push(event);
    else
      throw new UnprojectableEvent(
        `event ${event.type} at position ${event.position} belongs to no view of this release: run a release that knows it`,
      );
  return { ofCollections, ofPayouts, ofItems, others };
}

export function isReservationEvent(event: RecordedEvent): event is RecordedEvent<ReservationEvent> {
  return event.stream.startsWith('reservations-') && event.type in reservationEventTypes;
}

export function isCorrectionEvent(event: RecordedEvent): event is RecordedEvent<CorrectionEvent> {
  return event.stream.startsWith('correction-') && event.type in correctionEventTypes;
}

export function isV3RetirementEvent(event: RecordedEvent): event is RecordedEvent<RetirementEvent> {
  return event.stream === retirementStream && event.type in retirementEventTypes;
}

export function isReconciliationEvent(
  event: RecordedEvent,
): event is RecordedEvent<ReconciliationEvent> {
  return event.stream === reconciliationStream && event.type in reconciliationEventTypes;
}

/** True for an opening or erasure of evidence, which is an act and in no other view. */
function isEvidenceEvent(event: RecordedEvent): event is RecordedEvent<EvidenceEvent> {
  return event.stream === evidenceStream && event.type in evidenceEventTypes;
}

/** True for a list of losses, or its acceptance, which is an act. The checks read both from their streams. */
function isLossEvent(event: RecordedEvent): boolean {
  return isLossStream(event.stream) && event.type in lossEventTypes;
}

/** True for an event about roles. They are read from their stream; a grant is an act and in no other view. */
function isRoleEvent(event: RecordedEvent): event is RecordedEvent<RoleEvent> {
  return event.stream === roleStream && event.type in roleEventTypes;
}

function isCollectionEvent(event: RecordedEvent): event is RecordedEvent<CollectionEvent> {
  return event.stream.startsWith('collection-') && event.type in collectionEventTypes;
}

function isPayoutEvent(event: RecordedEvent): event is RecordedEvent<PayoutEvent> {
  return event.stream.startsWith('payout-') && event.type in payoutEventTypes;
}

export function isPayoutBatchEvent(event: RecordedEvent): event is RecordedEvent<PayoutBatchEvent> {
  return event.stream.startsWith('payout-') && event.type in payoutBatchEventTypes;
}

export function isMerchantEvent(event: RecordedEvent): event is RecordedEvent<MerchantEvent> {
  return event.stream.startsWith('merchant-') && event.type in merchantEventTypes;
}

/** True for a pause of one merchant, which is also a merchant's event, or of all. */
export function isPauseEvent(event: RecordedEvent): event is RecordedEvent<PauseEvent> {
  const isOfOne = event.stream.startsWith('merchant-') || event.stream === pausesStream;
  return isOfOne && event.type in pauseEventTypes;
}

/** True for a head, which is read from its stream: no view stores it. */
function isAuditEvent(event: RecordedEvent): boolean {
  return event.stream === auditStream && event.type in auditEventTypes;
}

/** True for a drill; the last one is read from its stream. */
function isDrillEvent(event: RecordedEvent): boolean {
  return event.stream === drillStream && event.type in drillEventTypes;
}

/** True for a registration of the rail's notices, which is an act and in no other view. */
function isNoticeEvent(event: RecordedEvent): boolean {
  return event.stream === noticesStream && event.type in noticeEventTypes;
}

/** True for a dismissed report of the rail, which is an act and in no other view. */
function isReportEvent(event: RecordedEvent): boolean {
  return event.stream === reportsStream && event.type in reportEventTypes;
}

/** True for a movement of money to the organisation's bank. */
export function isSettlementEvent(
  event: RecordedEvent,
): event is RecordedEvent<BankSettlementPosted> {
  return isSettlementStream(event.stream) && event.type in settlementEventTypes;
}

/** True for a comparison of the rail's balance; the last one is read from the stream. An acceptance is an act. */
function isRailBalanceEvent(event: RecordedEvent): boolean {
  return isRailBalanceStream(event.stream) && event.type in railBalanceEventTypes;
}

/** Subjects, besides items, for which these views have a rule. */
const subjectsWithoutItems = [
  isMerchantEvent,
  isPauseEvent,
  isPayoutBatchEvent,
  isCorrectionEvent,
  isReservationEvent,
  isV3RetirementEvent,
  isReconciliationEvent,
  isEvidenceEvent,
  isLossEvent,
  isRoleEvent,
  isAuditEvent,
  isDrillEvent,
  isNoticeEvent,
  isReportEvent,
  isSettlementEvent,
  isRailBalanceEvent,
] as const;
