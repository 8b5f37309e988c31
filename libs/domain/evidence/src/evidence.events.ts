import { type EventTypes } from '#domain/event-sourcing';
import { type TwoAdmins } from '#domain/proposals';

/** Messages were shown to an operator; who and why stand in the metadata. */
export interface EvidenceOpened {
  readonly type: 'EvidenceOpened';
  readonly data: {
    /** Of the collection, payout or batch that they are about. */
    readonly stream: string;
    /** How many were shown, those included of which only the place is known. */
    readonly messages: number;
    /** Of the sealed rows that were shown, lower-case hex SHA-256 (EVT-43): one of the bytes would give a number away. */
    readonly digest: string;
  };
}

/** The keys of one person's messages are dropped; who and why stand in the metadata. */
export interface EvidenceErased {
  readonly type: 'EvidenceErased';
  readonly data: {
    readonly phoneHmac: string;
    /** How many collections and payouts of the person's. */
    readonly streams: number;
    readonly messages: number;
    /** Of the sealed rows whose keys go, as for EvidenceOpened. */
    readonly digest: string;
  } & Partial<TwoAdmins>;
}

export type EvidenceEvent = EvidenceOpened | EvidenceErased;

/** The names and versions under which history keeps these events (EVT-1). */
export const evidenceEventTypes = {
  EvidenceOpened: { version: 1 },
  EvidenceErased: { version: 1 },
} as const satisfies Record<EvidenceEvent['type'], EventTypes[string]>;

export const evidenceStream = 'platform-evidence';
