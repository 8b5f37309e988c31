import { Injectable } from '@nestjs/common';
import { type Mode } from '#domain/kernel';
import {
  concludeRailQueryAttempt,
  giveBackRailQueryAttempt,
  lastRailQueryOutcome,
  leaseRailQueryAttempt,
} from '#adapters/records';
import { Database } from '#infra/postgres';
import { dueRailQueries, type RailQueriesEdge } from '#views/rail-queries';
import { RailWorkOptions } from '../rail-work-options.js';
import { type DueQuery, type QueryAttempt, QuerySchedule } from './query-schedule.js';

/** The schedule as it follows from the view of collections that may still be paid and the records of attempts. */
@Injectable()
export class RecordedQuerySchedule extends QuerySchedule {
  /** Of thousands that wait and are not due, each look passes a part; the next one goes on from there. */
  private readonly from = new Map<string, RailQueriesEdge>();

  constructor(
    private readonly database: Database,
    private readonly options: RailWorkOptions,
  ) {
    super();
  }

  override async due(modes: readonly Mode[], max: number): Promise<readonly DueQuery[]> {
    const pending = await this.inTurns(modes, { declined: false, max });
    const left = max - pending.length;
    if (left === 0) return pending;
    return [...pending, ...(await this.inTurns(modes, { declined: true, max: left }))];
  }

  override lease(attempt: QueryAttempt): Promise<boolean> {
    return leaseRailQueryAttempt(this.database, attempt);
  }

  override lastOutcome(stream: string): Promise<string | undefined> {
    return lastRailQueryOutcome(this.database, stream);
  }

  override conclude(attempt: QueryAttempt, outcome: string): Promise<void> {
    return concludeRailQueryAttempt(this.database, { ...attempt, outcome });
  }

  override giveBack(attempt: QueryAttempt): Promise<void> {
    return giveBackRailQueryAttempt(this.database, attempt);
  }

  private async inTurns(modes: readonly Mode[], part: Part): Promise<readonly DueQuery[]> {
    const ofModes = await Promise.all(modes.map((mode) => this.dueOf(mode, part)));
    return alternated(ofModes).slice(0, part.max);
  }

  private async dueOf(mode: Mode, { declined, max }: Part): Promise<readonly DueQuery[]> {
    const walk = `${mode} ${String(declined)}`;
    const { due, next } = await dueRailQueries(this.database, {
      delaysMs: this.options.queryDelaysMs,
      mode,
      declined,
      max,
      from: this.from.get(walk),
    });
    if (next) this.from.set(walk, next);
    else this.from.delete(walk);
    return due.map(({ asked, previous, ...query }) => ({
      ...query,
      attempt: asked + 1,
      ...(previous === null ? {} : { previous }),
    }));
  }
}

/** Declined collections are many, and nobody waits for them; so they are looked at apart, and last. */
interface Part {
  readonly declined: boolean;
  readonly max: number;
}

/** The first of each, then the second of each: a crowd of one mode keeps nobody of the other waiting. */
function alternated(lists: readonly (readonly DueQuery[])[]): readonly DueQuery[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list[turn] ?? []),
  ).flat();
}
