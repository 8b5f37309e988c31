import { OverdueCollections } from '#edges/rails';
import {
  type AskableRail,
  awaitsRail,
  type OverdueCollection,
  type RailQueriesEdge,
} from '#views/rail-queries';
import { type TransactionRow } from '#views/transactions';
import { type Life } from '../core/life.js';
import { statement } from './record-ports.js';
import { intentMs } from './intent-time.js';
import { type ViewTables } from './views.js';

/** The value in the statement of libs/views/rail-queries. */
export const maxLateMs = 24 * 3_600_000;

/** Returns when the first of the pending collections has been without a report for too long. */
export function overdueAtMs(views: ViewTables, reviewAfterMs: number): number | undefined {
  let firstMs: number | undefined;
  for (const row of views.rows.values()) {
    if (!isAwaited(row)) continue;
    const atMs = intentMs(row) + reviewAfterMs;
    if (firstMs === undefined || atMs < firstMs) firstMs = atMs;
  }
  return firstMs;
}

function isBehind(one: RailQueriesEdge, edge: RailQueriesEdge): boolean {
  const apartMs = one.intentAt.getTime() - edge.intentAt.getTime();
  return apartMs > 0 || (apartMs === 0 && one.stream > edge.stream);
}

function isAwaited(row: TransactionRow): boolean {
  return row.type === 'collection' && awaitsRail(row);
}

export class SimulatedOverdueCollections extends OverdueCollections {
  constructor(
    private readonly life: Life,
    private readonly views: ViewTables,
    private readonly reviewAfterMs: number,
  ) {
    super();
  }

  override overdue(
    askable: readonly AskableRail[],
    { max, after }: Parameters<OverdueCollections['overdue']>[1],
  ): Promise<readonly OverdueCollection[]> {
    return statement(this.life, 'looks of whom nothing was heard', () => {
      const untilMs = this.life.world.nowMs - this.reviewAfterMs;
      return [...this.views.rows.values()]
        .filter((row) => isAwaited(row) && intentMs(row) <= untilMs)
        .map((row) => ({ row, isLate: intentMs(row) <= untilMs - maxLateMs }))
        .filter(
          ({ row, isLate }) =>
            isLate ||
            row.rail_reference === null ||
            askable.some(({ channel, mode }) => channel === row.channel && mode === row.mode),
        )
        .map(({ row, isLate }) => ({
          stream: row.stream,
          isLate,
          intentAt: new Date(intentMs(row)),
        }))
        .filter((overdue) => !after || isBehind(overdue, after))
        .slice(0, max);
    });
  }
}
