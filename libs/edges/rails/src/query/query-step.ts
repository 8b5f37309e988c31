import { concurrently, type Mode } from '#domain/kernel';
import { Injectable } from '@nestjs/common';
import { type CollectionKey, collectionKeyOf } from '#domain/collections';
import { QueriedAnswers } from './queried-answers.js';
import { type DueQuery, QuerySchedule } from './query-schedule.js';
import { CollectionsClient } from '../collections-client.js';
import { isTakenBack, RailQuestions } from './rail-questions.js';

const maxAtOnce = 64;
const maxInFlight = 8;

/**
 * Queries the rail about collections that may still be paid, each at RAIL_QUERY_DELAYS after its intent. While the rail
 * takes no queries, all of its mode wait. Several workers run, so a query is leased first. It counts once its answer is
 * recorded.
 */
@Injectable()
export class QueryStep {
  constructor(
    private readonly schedule: QuerySchedule,
    private readonly questions: RailQuestions,
    private readonly answers: QueriedAnswers,
    private readonly collections: CollectionsClient,
  ) {}

  /** @param mode both modes if omitted @throws DependencyUnavailable if the schedule is away */
  async step(mode?: Mode): Promise<'idle' | 'busy'> {
    const asked = this.questions.askable(mode);
    if (asked.length === 0) return 'idle';
    const due = await this.schedule.due(asked, maxAtOnce);
    await concurrently(due, maxInFlight, (query) => this.ask(query));
    return due.length === maxAtOnce && this.questions.askable(mode).length > 0 ? 'busy' : 'idle';
  }

  private async ask(query: DueQuery): Promise<void> {
    const key = collectionKeyOf(query.stream);
    if (!this.questions.mayAsk(query)) return;
    if (!(await this.schedule.lease(query))) return;
    const outcome = key ? await this.outcomeOf(query, key) : 'no_collection';
    if (outcome === undefined) {
      await this.schedule.giveBack(query);
      return;
    }
    await this.schedule.conclude(query, outcome);
    if (isTakenBack(outcome, query.previous))
      this.collections.reports.queryContradicted(query.mode, 'decline_not_repeated');
  }

  /** Returns the outcome's code for the schedule, or undefined if the query does not count. */
  private async outcomeOf(
    { channel, railReference, previous }: DueQuery,
    key: CollectionKey,
  ): Promise<string | undefined> {
    const answer = await this.questions.ask({ channel, mode: key.mode, railReference });
    switch (answer.kind) {
      case 'not_asked':
        return undefined;
      case 'unanswered':
      case 'unresolved':
        return answer.kind;
      case 'paid':
      case 'declined':
        return this.answers.report({ key, channel, railReference, answer, previous });
    }
  }
}
