import { Injectable } from '@nestjs/common';
import { type Mode } from '#kernel';
import {
  concludeRailQueryAttempt,
  Database,
  giveBackRailQueryAttempt,
  leaseRailQueryAttempt,
} from '#postgres';
import { dueRailQueries, type RailQueriesEdge } from '#read-models';
import { RailWorkOptions } from '../rail-work-options.js';
import { type DueQuery, type QueryAttempt, QuerySchedule } from './query-schedule.js';

/** The schedule as it follows from the view of pending collections and the records of attempts. */
@Injectable()
export class RecordedQuerySchedule extends QuerySchedule {
  /** Of thousands that wait and are not due, each look passes a part; the next one goes on from there. */
  private readonly from = new Map<Mode, RailQueriesEdge>();

  constructor(
    private readonly database: Database,
    private readonly options: RailWorkOptions,
  ) {
    super();
  }

  override async due(modes: readonly Mode[], most: number): Promise<readonly DueQuery[]> {
    const ofModes = await Promise.all(modes.map((mode) => this.dueOf(mode, most)));
    return inTurns(ofModes).slice(0, most);
  }

  override lease(attempt: QueryAttempt): Promise<boolean> {
    return leaseRailQueryAttempt(this.database, attempt);
  }

  override conclude(attempt: QueryAttempt, outcome: string): Promise<void> {
    return concludeRailQueryAttempt(this.database, { ...attempt, outcome });
  }

  override giveBack(attempt: QueryAttempt): Promise<void> {
    return giveBackRailQueryAttempt(this.database, attempt);
  }

  private async dueOf(mode: Mode, most: number): Promise<readonly DueQuery[]> {
    const { due, next } = await dueRailQueries(this.database, {
      delaysMs: this.options.queryDelaysMs,
      mode,
      most,
      from: this.from.get(mode),
    });
    if (next) this.from.set(mode, next);
    else this.from.delete(mode);
    return due.map(({ asked, ...query }) => ({ ...query, attempt: asked + 1 }));
  }
}

/** The first of each, then the second of each: a crowd of one mode keeps nobody of the other waiting. */
function inTurns(lists: readonly (readonly DueQuery[])[]): readonly DueQuery[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list[turn] ?? []),
  ).flat();
}
