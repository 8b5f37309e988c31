import { type AskableRail, railQueryLease, awaitsRail, mayStillBePaid } from '#views/rail-queries';
import { type DueQuery } from '#edges/rails';
import { type TransactionRow } from '#views/transactions';
import { intentMs } from './intent-time.js';
import { type RecordTables } from './records.js';
import { type ViewTables } from './views.js';

/** The value in the statement of libs/views/rail-queries. */
const latestMs = 24 * 3_600_000;

/** The times of status queries: the view of the items that the rail is asked about, and the records of attempts. */
export class QueryTimetable {
  constructor(
    private readonly views: ViewTables,
    private readonly records: RecordTables,
    readonly delaysMs: readonly number[],
    /** Returns a number from 0 to 1, always the same for the same question. */
    private readonly jitterOf: (question: string) => number,
  ) {}

  due(nowMs: number, rails: readonly AskableRail[], max: number): DueQuery[] {
    const due: (DueQuery & { dueMs: number })[] = [];
    for (const row of this.views.rows.values()) {
      const rail = rails.find(({ channel, mode }) => channel === row.channel && mode === row.mode);
      const next = rail && this.#next(row, rail);
      if (next && next.dueMs <= nowMs && nowMs <= next.untilMs) due.push(next);
    }
    const isDeclined = ({ stream }: DueQuery): number => (this.isPending(stream) ? 0 : 1);
    return due.sort((a, b) => isDeclined(a) - isDeclined(b) || a.dueMs - b.dueMs).slice(0, max);
  }

  /** True if the view has it among those that are asked about first. */
  isPending(stream: string): boolean {
    return this.views.rows.get(stream)?.status === 'pending';
  }

  /** Returns when the next question of a rail is due. */
  nextDueMs(nowMs: number, rail: AskableRail): number | undefined {
    let nextMs: number | undefined;
    for (const row of this.views.rows.values()) {
      const next = row.channel === rail.channel ? this.#next(row, rail) : undefined;
      if (next && nowMs <= next.untilMs && (nextMs === undefined || next.dueMs < nextMs))
        nextMs = next.dueMs;
    }
    return nextMs;
  }

  #next(
    row: TransactionRow,
    { usesOurReference }: AskableRail,
  ): (DueQuery & { dueMs: number; untilMs: number }) | undefined {
    if (row.type !== 'collection') return undefined;
    const reference = row.rail_reference ?? (usesOurReference ? row.account_reference : null);
    if (reference === null || !(awaitsRail(row) || mayStillBePaid(row))) return undefined;
    let [asked, askedAtMs, leasedAtMs] = [0, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const [attempt, made] of this.records.attempts.get(row.stream) ?? []) {
      if (made.outcome === railQueryLease.outcome)
        leasedAtMs = Math.max(leasedAtMs, made.attemptedAtMs);
      else [asked, askedAtMs] = [Math.max(asked, attempt), Math.max(askedAtMs, made.attemptedAtMs)];
    }
    const delayMs = this.delaysMs[asked];
    if (delayMs === undefined) return undefined;
    const jitterMs = Math.min(300_000, 0.1 * delayMs) * this.jitterOf(`${row.stream}#${asked}`);
    const intentAtMs = intentMs(row);
    const gapMs = delayMs - (this.delaysMs[asked - 1] ?? 0);
    const dueMs = Math.max(
      intentAtMs + delayMs + jitterMs,
      askedAtMs + gapMs,
      leasedAtMs + railQueryLease.ms,
    );
    const previous = this.records.lastOutcome(row.stream);
    return {
      stream: row.stream,
      channel: row.channel,
      mode: row.mode,
      railReference: reference,
      attempt: asked + 1,
      ...(previous === undefined ? {} : { previous }),
      dueMs,
      untilMs: intentAtMs + (this.delaysMs.at(-1) ?? 0) + latestMs,
    };
  }
}
