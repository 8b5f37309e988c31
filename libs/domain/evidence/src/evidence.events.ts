import { type EventTypes } from '#domain/event-sourcing';
import { type TwoAdmins } from '#domain/proposals';

/** An operator viewed messages. The metadata names the operator and the reason. */
export interface EvidenceOpened {
  readonly type: 'EvidenceOpened';
  readonly data: {
    /** The stream of the collection, payout or batch. */
    readonly stream: string;
    /** The number of messages shown, including those whose bytes are missing and only their place is known. */
    readonly messages: number;
    /**
     * The digest of the sealed rows that were shown, lower-case hex SHA-256 (EVT-43). A digest of the plain bytes would
     * reveal a number.
     */
    readonly digest: string;
  };
}

/** The keys of one person's messages were deleted. The metadata names the operator and the reason. */
export interface EvidenceErased {
  readonly type: 'EvidenceErased';
  readonly data: {
    readonly phoneHmac: string;
    /** The number of the person's collections and payouts. */
    readonly streams: number;
    readonly messages: number;
    /** The digest of the sealed rows whose keys are deleted, as for EvidenceOpened. */
    readonly digest: string;
  } & Partial<TwoAdmins>;
}

export type EvidenceEvent = EvidenceOpened | EvidenceErased;

/** The names and versions under which history stores these events (EVT-1). */
export const evidenceEventTypes = {
  EvidenceOpened: { version: 1 },
  EvidenceErased: { version: 1 },
} as const satisfies Record<EvidenceEvent['type'], EventTypes[string]>;

export const evidenceStream = 'platform-evidence';
