import { auditEventTypes } from '#domain/audit';
import { collectionEventTypes } from '#domain/collections';
import { correctionEventTypes } from '#domain/corrections';
import { drillEventTypes } from '#domain/drills';
import { type EventTypes } from '#domain/event-sourcing';
import { evidenceEventTypes } from '#domain/evidence';
import { reservationEventTypes } from '#domain/ledger';
import { lossEventTypes } from '#domain/losses';
import { merchantEventTypes } from '#domain/merchants';
import { payoutBatchEventTypes, payoutEventTypes } from '#domain/payouts';
import { roleEventTypes } from '#domain/people';
import { noticeEventTypes, reportEventTypes } from '#domain/rails';
import { reconciliationEventTypes } from '#domain/reconciliation';
import { railBalanceEventTypes, settlementEventTypes } from '#domain/settlements';
import { retirementEventTypes } from '#domain/v3-retirement';
import { unite } from './unite.js';

const tables = {
  audit: auditEventTypes,
  collections: collectionEventTypes,
  corrections: correctionEventTypes,
  drills: drillEventTypes,
  evidence: evidenceEventTypes,
  ledger: reservationEventTypes,
  losses: lossEventTypes,
  merchants: merchantEventTypes,
  payouts: { ...payoutEventTypes, ...payoutBatchEventTypes },
  people: roleEventTypes,
  rails: { ...noticeEventTypes, ...reportEventTypes },
  reconciliation: reconciliationEventTypes,
  settlements: { ...settlementEventTypes, ...railBalanceEventTypes },
  'v3-retirement': retirementEventTypes,
} as const;

type NamesOf<Table> = Table extends object ? keyof Table : never;

/** The name of any event type. */
export type EventTypeName = NamesOf<(typeof tables)[keyof typeof tables]>;

/** The event types of each subject, by its folder in `libs/domain`. */
export const eventTypesBySubject: Readonly<Record<string, EventTypes>> = tables;

/** Every event type. Each process reads and writes the log with this table (OPS-40). */
export const eventTypes: EventTypes = unite(tables);
