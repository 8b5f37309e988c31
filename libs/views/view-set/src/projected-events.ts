import { auditEventTypes } from '#domain/audit';
import { collectionEventTypes } from '#domain/collections';
import { correctionEventTypes } from '#domain/corrections';
import { drillEventTypes } from '#domain/drills';
import { type EventTypes } from '#domain/event-sourcing';
import { evidenceEventTypes } from '#domain/evidence';
import { reservationEventTypes } from '#domain/ledger';
import { merchantEventTypes } from '#domain/merchants';
import { payoutBatchEventTypes, payoutEventTypes } from '#domain/payouts';
import { roleEventTypes } from '#domain/people';
import { reconciliationEventTypes } from '#domain/reconciliation';
import { retirementEventTypes } from '#domain/v3-retirement';

/**
 * The prefixes of all streams that any view is built from, those of later subjects included: a prefix
 * added later would be skipped by an old projector in a rolling release.
 */
export const projectedPrefixes = [
  'collection-',
  'payout-',
  'reservations-',
  'correction-',
  'merchant-',
  'platform-',
] as const;

/** Every event of those streams, for whoever reads all of them. */
export const projectedEventTypes: EventTypes = {
  ...collectionEventTypes,
  ...correctionEventTypes,
  ...payoutEventTypes,
  ...payoutBatchEventTypes,
  ...reservationEventTypes,
  ...merchantEventTypes,
  ...evidenceEventTypes,
  ...retirementEventTypes,
  ...roleEventTypes,
  ...reconciliationEventTypes,
  ...auditEventTypes,
  ...drillEventTypes,
};
