import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';

/** What a drill checks, in its order. */
export type DrillCheck = 'records' | 'sealed' | 'views' | 'seals';

/** One thing that does not hold. */
export interface DrillFault {
  readonly check: DrillCheck;
  /** A table of the records or of the views; absent of seals. */
  readonly table?: string;
  /** Rows that are missing or that do not open; 1 of a table or a tree that differs. */
  readonly count: number;
}

/** A copy of the records was held against the serving database and the log. Who did it stands in the metadata. */
export type DrillRecorded = StoredEvent<
  'DrillRecorded',
  {
    /** `restored`: of a backup. `made`: by the drill itself, which shows nothing of any backup. */
    readonly copy: 'restored' | 'made';
    readonly outcome: 'held' | 'failed';
    /** The time up to which the copy reaches. */
    readonly reachesTo: Instant;
    /** Whole seconds from there to the drill: what a restore would have lost. */
    readonly ageSeconds: number;
    /** Of the log: where both sets of views were compared, a decimal string. */
    readonly position: string;
    /** Tables of the records, and their rows in the copy. */
    readonly tables: number;
    readonly rows: number;
    /** Rows of the serving database that are newer than the copy. */
    readonly newer: number;
    /** Sealed rows that were opened. */
    readonly opened: number;
    /** Tables of the views that are the same in both sets. */
    readonly views: number;
    /** Days' heads that the copy's trees give. */
    readonly heads: number;
    readonly faults: readonly DrillFault[];
  }
>;

/** The names and versions under which history keeps these events (EVT-1). */
export const drillEventTypes = {
  DrillRecorded: { version: 1 },
} as const satisfies Record<DrillRecorded['type'], EventTypes[string]>;

export const drillStream = 'platform-drill';
