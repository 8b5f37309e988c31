import { instantFromMs } from '#domain/kernel';
import { type DrillFault, type DrillRecorded } from './drill.events.js';

/** A table of the records, in the serving database and in the copy. */
export interface RecordsTable {
  readonly table: string;
  /** In the copy. */
  readonly rows: number;
  readonly missing: number;
  readonly newer: number;
  /** Whether there is more missing than was looked for. */
  readonly areMore: boolean;
}

/** A table whose rows are encrypted, as far as they were opened. */
export interface OpenedTable {
  readonly table: string;
  readonly opened: number;
  readonly unopenable: number;
  /** Under data keys that were deleted, so that nobody opens them: evidence that was erased. */
  readonly erased: number;
}

/** A table of both sets of views at one position. */
export interface ViewTable {
  readonly table: string;
  readonly isSame: boolean;
}

/** What a drill found on the copy. */
export interface DrillFindings {
  readonly copy: DrillRecorded['data']['copy'];
  readonly nowMs: number;
  readonly reachesToMs: number;
  readonly position: bigint;
  readonly records: readonly RecordsTable[];
  readonly opened: readonly OpenedTable[];
  readonly views: readonly ViewTable[];
  readonly seals: {
    /** That the copy's trees reach. */
    readonly heads: number;
    /** Undefined where they give the heads' roots. */
    readonly fault: string | undefined;
  };
}

/** What the findings come to (OPS-27): what is missing, does not open or differs fails a drill; age does not. */
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

/** How the last drill stands (OPS-28). */
export type DrillStanding = 'never' | 'failed' | 'old' | 'held';

/** A drill is old after as many days. */
const maxDrillAgeDays = 90;

/** @param recordedAtMs of the last drill; undefined before the first */
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
