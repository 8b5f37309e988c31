import { type CollectionKey, collectionStream, type RailPayment } from '#domain/collections';
import { Injectable } from '@nestjs/common';
import { QueriedAnswers } from '../query/queried-answers.js';
import { QuerySchedule } from '../query/query-schedule.js';
import { RailQuestions } from '../query/rail-questions.js';
import { isRepeated } from '../query/repeated-decline.js';

/** The result of a final query. `open`: the rail took it, and the collection is pending still. */
export type FinalAnswer = 'settled' | 'open' | 'unheard';

/** Asks the rail about a collection once more, before a person is to look. */
@Injectable()
export class FinalQuery {
  constructor(
    private readonly questions: RailQuestions,
    private readonly answers: QueriedAnswers,
    private readonly schedule: QuerySchedule,
  ) {}

  /** @throws DependencyUnavailable */
  async ask(
    key: CollectionKey,
    { channel, railReference }: Pick<RailPayment, 'channel' | 'railReference'>,
  ): Promise<FinalAnswer> {
    const answer = await this.questions.ask({ channel, mode: key.mode, railReference });
    switch (answer.kind) {
      case 'not_asked':
      case 'unanswered':
        return 'unheard';
      case 'unresolved':
        return 'open';
      case 'paid':
      case 'declined': {
        const previous = await this.schedule.lastOutcome(collectionStream(key));
        const told = await this.answers.tell({ key, channel, railReference, answer, previous });
        if (told === undefined) return 'unheard';
        // One decline proves nothing: a person looks at what no query has repeated.
        return told === 'paid' || isRepeated(answer, previous) ? 'settled' : 'open';
      }
    }
  }
}
