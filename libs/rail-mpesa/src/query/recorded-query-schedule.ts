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
  private from: RailQueriesEdge | undefined;

  constructor(
    private readonly database: Database,
    private readonly options: RailWorkOptions,
  ) {
    super();
  }

  override async due(modes: readonly Mode[], most: number): Promise<readonly DueQuery[]> {
    const { queryDelaysMs: delaysMs } = this.options;
    const { from } = this;
    const { due, next } = await dueRailQueries(this.database, { delaysMs, modes, most, from });
    this.from = next;
    return due.map(({ asked, ...query }) => ({ ...query, attempt: asked + 1 }));
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
}
