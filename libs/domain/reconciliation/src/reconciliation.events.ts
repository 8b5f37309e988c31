import { type EventTypes } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { firstChannel } from '#domain/merchants';
import { type FindingName, type Tally } from './finding.js';

/** The tally of one kind of finding. */
export interface RecordedTally extends Omit<Tally, 'findings'> {
  readonly finding: FindingName;
  readonly count: number;
}

/** An open line or item: its names, and never a party. */
export interface RecordedOpen {
  readonly finding: FindingName;
  readonly receipt?: string;
  /** The stream of our item. */
  readonly stream?: string;
  readonly reference?: string;
  /** Signed: positive for money that came in. */
  readonly amountMinor: bigint;
  /**
   * For a line without an item: streams of the merchant that may explain it. If there are many findings, only the
   * likeliest one.
   */
  readonly mayBe?: readonly string[];
  /** True if an item of another merchant may explain the line. */
  readonly mayBeOthers?: true;
}

/**
 * The people who reconciled: the platform's or the merchant's. A merchant's people choose the file themselves, so the
 * platform cannot rely on it (REC-18).
 */
export type ReconciledBy = 'platform' | 'merchant';

/** A day of an account was compared with a statement. The metadata names the person. */
export interface ReconciliationRecorded {
  readonly type: 'ReconciliationRecorded';
  readonly data: {
    readonly merchantId: string;
    readonly mode: Mode;
    readonly accountNo: string;
    readonly currency: string;
    /** The rail whose statement it is. Absent from the first events, which are of `firstChannel`. */
    readonly channel?: string;
    /** YYYY-MM-DD of the merchant's time zone. */
    readonly date: string;
    /** Lower-case hex SHA-256 of the file. */
    readonly fileSha256: string;
    readonly fileLines: number;
    /** The log position that the ledger's figures reflect. */
    readonly position: string;
    /** The sum of the statement's completed lines of the day. */
    readonly statementInMinor: bigint;
    readonly statementOutMinor: bigint;
    /** The number of the list's completed items of the day. */
    readonly collections: number;
    readonly collectionsMinor: bigint;
    readonly collectionFeesMinor: bigint;
    readonly payouts: number;
    readonly payoutsMinor: bigint;
    readonly payoutFeesMinor: bigint;
    readonly tallies: readonly RecordedTally[];
    /** The number of open findings. Only the first ones are named. */
    readonly open: number;
    readonly openNamed: readonly RecordedOpen[];
    /**
     * The first references that the rail and the ledger count on different days, including the return of money from
     * suspense.
     */
    readonly otherDay: readonly string[];
    /**
     * The streams of many more of them, because a collection and a payout may have the same reference. Absent from the
     * first events.
     */
    readonly otherDayStreams?: readonly string[];
    /** Absent from the first events. */
    readonly by?: ReconciledBy;
  };
}

/** The rail whose statement the day was compared with. */
export function channelOf({
  channel = firstChannel,
}: Pick<ReconciliationRecorded['data'], 'channel'>): string {
  return channel;
}

/** A person recorded the action on open lines of a day. The metadata names the person. */
export interface DifferencesNoted {
  readonly type: 'DifferencesNoted';
  readonly data: {
    readonly merchantId: string;
    readonly mode: Mode;
    readonly accountNo: string;
    /** YYYY-MM-DD of the merchant's time zone. */
    readonly date: string;
    /** The fields that identify lines from one comparison of the day to the next. */
    readonly lines: readonly Pick<RecordedOpen, 'finding' | 'receipt' | 'stream'>[];
    readonly note: string;
  };
}

export type ReconciliationEvent = ReconciliationRecorded | DifferencesNoted;

/** The names and versions under which history stores these events (EVT-1). */
export const reconciliationEventTypes = {
  ReconciliationRecorded: { version: 1 },
  DifferencesNoted: { version: 1 },
} as const satisfies Record<ReconciliationEvent['type'], EventTypes[string]>;

export const reconciliationStream = 'platform-reconciliations';
