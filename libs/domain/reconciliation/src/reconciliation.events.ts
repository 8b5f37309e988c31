import { type EventTypes } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { type FindingName, type Tally } from './finding.js';

/** What one kind of finding came to. */
export interface RecordedTally extends Omit<Tally, 'findings'> {
  readonly finding: FindingName;
  readonly count: number;
}

/** An open line or item: what names it, and never a party. */
export interface RecordedOpen {
  readonly finding: FindingName;
  readonly receipt?: string;
  /** Of our item: its stream. */
  readonly stream?: string;
  readonly reference?: string;
  /** Signed: what came in is positive. */
  readonly amountMinor: bigint;
  /** Of a line that no item bears: streams of the merchant's that may explain it; of many, the likeliest alone. */
  readonly mayBe?: readonly string[];
  /** An item of another merchant may explain the line. */
  readonly mayBeOthers?: true;
}

/**
 * Whose people reconciled. A merchant's choose the file themselves, so what it shows says nothing to the platform
 * (REC-18).
 */
export type ReconciledBy = 'platform' | 'merchant';

/** A day of an account was compared with a statement. Who did it stands in the metadata. */
export interface ReconciliationRecorded {
  readonly type: 'ReconciliationRecorded';
  readonly data: {
    readonly merchantId: string;
    readonly mode: Mode;
    readonly accountNo: string;
    readonly currency: string;
    /** YYYY-MM-DD of the merchant's time zone. */
    readonly date: string;
    /** Lower-case hex SHA-256 of the file. */
    readonly fileSha256: string;
    readonly fileLines: number;
    /** Of the log: what the ledger's figures reflect. */
    readonly position: string;
    /** Of the statement's lines of the day that took place. */
    readonly statementInMinor: bigint;
    readonly statementOutMinor: bigint;
    /** Of the list's completed items of the day. */
    readonly collections: number;
    readonly collectionsMinor: bigint;
    readonly collectionFeesMinor: bigint;
    readonly payouts: number;
    readonly payoutsMinor: bigint;
    readonly payoutFeesMinor: bigint;
    readonly tallies: readonly RecordedTally[];
    /** All that is open; of many, only the first are named. */
    readonly open: number;
    readonly openNamed: readonly RecordedOpen[];
    /** References that the rail and the ledger count on different days, or the way back of what left suspense; the first of them. */
    readonly otherDay: readonly string[];
    /** Streams, of many more of them: a collection and a payout may have one reference. Absent from the first events. */
    readonly otherDayStreams?: readonly string[];
    /** Absent from the first events. */
    readonly by?: ReconciledBy;
  };
}

/** Somebody wrote what was done about open lines of a day. Who it was is in the metadata. */
export interface DifferencesNoted {
  readonly type: 'DifferencesNoted';
  readonly data: {
    readonly merchantId: string;
    readonly mode: Mode;
    readonly accountNo: string;
    /** YYYY-MM-DD of the merchant's time zone. */
    readonly date: string;
    /** What names them from one comparison of the day to the next. */
    readonly lines: readonly Pick<RecordedOpen, 'finding' | 'receipt' | 'stream'>[];
    readonly note: string;
  };
}

export type ReconciliationEvent = ReconciliationRecorded | DifferencesNoted;

/** The names and versions under which history keeps these events (EVT-1). */
export const reconciliationEventTypes = {
  ReconciliationRecorded: { version: 1 },
  DifferencesNoted: { version: 1 },
} as const satisfies Record<ReconciliationEvent['type'], EventTypes[string]>;

export const reconciliationStream = 'platform-reconciliations';
