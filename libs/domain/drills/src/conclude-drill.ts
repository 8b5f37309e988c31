import { instantFromMs } from '#domain/kernel';
import { type DrillFault, type DrillRecorded } from './drill.events.js';

/** A table of the records, in the serving database and in the copy. */
export interface RecordsTable {
  readonly table: string;
  /** The number of rows in the copy. */
  readonly rows: number;
  readonly missing: number;
  readonly newer: number;
  /** True if more rows are missing than were counted. */
  readonly areMore: boolean;
}

/** A table with encrypted rows, as far as they were opened. */
export interface OpenedTable {
  readonly table: string;
  readonly opened: number;
  readonly unopenable: number;
  /** Rows under data keys that were deleted, which cannot be opened: erased evidence. */
  readonly erased: number;
}

/** A table of both sets of views at one position. */
export interface ViewTable {
  readonly table: string;
  readonly isSame: boolean;
}

/** The findings of a drill on the copy. */
export interface DrillFindings {
  readonly copy: DrillRecorded['data']['copy'];
  readonly nowMs: number;
  readonly reachesToMs: number;
  readonly position: bigint;
  readonly records: readonly RecordsTable[];
  readonly opened: readonly OpenedTable[];
  readonly views: readonly ViewTable[];
  readonly seals: {
    /** The number of heads that the copy's trees reach. */
    readonly heads: number;
    /** Undefined if the trees produce the heads' roots. */
    readonly fault: string | undefined;
  };
}

/** Concludes from the findings (OPS-27). Missing, unopenable or different data fail a drill, but age does not. */
export function concludeDrill(found: DrillFindings): DrillRecorded['data'] {
  const { records, opened, views, seals } = found;
  const faults: readonly DrillFault[] = [
    ...records.flatMap(({ table, missing }) => faultOf('records', table, missing)),
    ...opened.flatMap(({ table, unopenable }) => faultOf('sealed', table, unopenable)),
    ...views.flatMap(({ table, isSame }) => faultOf('views', table, isSame ? 0 : 1)),
    ...(seals.fault === undefined ? [] : [{ check: 'seals', count: 1 } as const]),
  ];
  return {
    copy: found.copy,
    outcome: faults.length === 0 ? 'held' : 'failed',
    reachesTo: instantFromMs(found.reachesToMs),
    ageSeconds: Math.max(0, Math.floor((found.nowMs - found.reachesToMs) / 1000)),
    position: found.position.toString(),
    tables: records.length,
    rows: sum(records.map(({ rows }) => rows)),
    newer: sum(records.map(({ newer }) => newer)),
    opened: sum(opened.map((table) => table.opened)),
    views: views.filter(({ isSame }) => isSame).length,
    heads: seals.heads,
    faults,
  };
}

function faultOf(check: DrillFault['check'], table: string, count: number): DrillFault[] {
  return count === 0 ? [] : [{ check, table, count }];
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** The state of the last drill (OPS-28). */
export type DrillStanding = 'never' | 'failed' | 'old' | 'held';

/** A drill is old after this many days. */
const maxDrillAgeDays = 90;

/** @param last the last drill; undefined before the first */
export function drillStanding(
  last:
    | { readonly outcome: DrillRecorded['data']['outcome']; readonly recordedAtMs: number }
    | undefined,
  nowMs: number,
): DrillStanding {
  if (!last) return 'never';
  if (last.outcome === 'failed') return 'failed';
  return nowMs - last.recordedAtMs > maxDrillAgeDays * 86_400_000 ? 'old' : 'held';
}
