import { type CollectionKey, collectionKeyOf, type QueryOutcome, Rail } from '#collections';
import {
  concludeRailQueryAttempt,
  giveBackRailQueryAttempt,
  Database,
  leaseRailQueryAttempt,
} from '#postgres';
import { dueRailQueries, type OpenRailQuery } from '#read-models';
import { Injectable } from '@nestjs/common';
import { concurrently } from '../concurrently.js';
import { RailWorkOptions } from '../rail-work-options.js';
import { QueriedAnswers } from './queried-answers.js';

const mostAtOnce = 64;
const mostInFlight = 8;

/**
 * Asks the rail about the collections of which nothing was heard, each at RAIL_QUERY_DELAYS after its intent.
 * A question is leased before it is asked, since several workers run; it counts once its answer is recorded.
 */
@Injectable()
export class QueryStep {
  constructor(
    private readonly database: Database,
    private readonly rail: Rail,
    private readonly answers: QueriedAnswers,
    private readonly options: RailWorkOptions,
  ) {}

  /** @throws DependencyUnavailable where Postgres is away */
  async step(): Promise<'idle' | 'busy'> {
    const due = await dueRailQueries(this.database, this.options.queryDelaysMs, mostAtOnce);
    await concurrently(due, mostInFlight, (open) => this.ask(open));
    return due.length === mostAtOnce ? 'busy' : 'idle';
  }

  private async ask({ stream, railReference, asked }: OpenRailQuery): Promise<void> {
    const key = collectionKeyOf(stream);
    const attempt = { stream, attempt: asked + 1 };
    if (!key || !(await leaseRailQueryAttempt(this.database, attempt))) return;
    const answer = await this.rail.query(key.mode, railReference);
    const outcome = await this.outcomeOf(key, railReference, answer);
    if (outcome === undefined) await giveBackRailQueryAttempt(this.database, attempt);
    else await concludeRailQueryAttempt(this.database, { ...attempt, outcome });
  }

  /** A word for the table of attempts; undefined where the attempt does not count. */
  private async outcomeOf(
    key: CollectionKey,
    railReference: string,
    answer: QueryOutcome,
  ): Promise<string | undefined> {
    switch (answer.kind) {
      case 'not_asked':
        return undefined;
      case 'unresolved':
        return answer.kind;
      case 'paid':
      case 'declined':
        return this.answers.tell({ key, railReference, answer });
    }
  }
}
