import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';

/** The checks of a drill, in their order. */
export type DrillCheck = 'records' | 'sealed' | 'views' | 'seals';

/** A check that failed. */
export interface DrillFault {
  readonly check: DrillCheck;
  /** A table of the records or of the views; absent for seals. */
  readonly table?: string;
  /** The number of rows that are missing or do not open; 1 for a table or tree that differs. */
  readonly count: number;
}

/** A copy of the records was compared with the serving database and the log. The metadata names the operator. */
export type DrillRecorded = StoredEvent<
  'DrillRecorded',
  {
    /** `restored`: from a backup. `made`: by the drill itself, so it proves nothing about any backup. */
    readonly copy: 'restored' | 'made';
    readonly outcome: 'held' | 'failed';
    /** The time up to which the copy reaches. */
    readonly reachesTo: Instant;
    /** Whole seconds from there to the drill: the data that a restore would lose. */
    readonly ageSeconds: number;
    /** The log position at which both sets of views were compared, a decimal string. */
    readonly position: string;
    /** The number of tables of the records, and of their rows in the copy. */
    readonly tables: number;
    readonly rows: number;
    /** Rows of the serving database that are newer than the copy. */
    readonly newer: number;
    /** Sealed rows that were opened. */
    readonly opened: number;
    /** Tables of the views that are the same in both sets. */
    readonly views: number;
    /** Days' heads that match the copy's trees. */
    readonly heads: number;
    readonly faults: readonly DrillFault[];
  }
>;

/** The names and versions under which history stores these events (EVT-1). */
export const drillEventTypes = {
  DrillRecorded: { version: 1 },
} as const satisfies Record<DrillRecorded['type'], EventTypes[string]>;

export const drillStream = 'platform-drill';
