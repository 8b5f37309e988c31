import { collectionKeyOf, Rail } from '#collections';
import { concludeRailQueryAttempt, Database, insertRailQueryAttempt } from '#postgres';
import { dueRailQueries, type OpenRailQuery } from '#read-models';
import { Injectable } from '@nestjs/common';
import { concurrently } from '../concurrently.js';
import { RailWorkOptions } from '../rail-work-options.js';
import { QueriedAnswers } from './queried-answers.js';

const mostAtOnce = 64;
const mostInFlight = 8;

/**
 * Asks the rail about the collections of which nothing was heard, each at RAIL_QUERY_DELAYS after its intent.
 * A question is recorded before it is asked: that is also the right to ask it, where several workers run.
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
    if (!key || !(await insertRailQueryAttempt(this.database, { ...attempt, outcome: 'asking' })))
      return;
    const answer = await this.rail.query(key.mode, railReference);
    const outcome =
      answer.kind === 'unresolved'
        ? answer.kind
        : await this.answers.tell({ key, railReference, answer });
    await concludeRailQueryAttempt(this.database, { ...attempt, outcome });
  }
}
