import { type RailPayment } from '#domain/rails';
import { type CollectionKey, collectionKeyOf, collectionStream, viewOf } from '#domain/collections';
import { Injectable } from '@nestjs/common';
import { Ids } from '#domain/kernel';
import { type OverdueCollection } from '#views/rail-queries';
import { QueriedAnswers } from '../query/queried-answers.js';
import { QuerySchedule } from '../query/query-schedule.js';
import { RailQuestions, isRepeated } from '../query/rail-questions.js';
import { CollectionsClient } from '../collections-client.js';
import { RailTable } from '../rail-adapter.js';

/** The result of a final query. `open`: the rail took it, and the collection is still pending. */
type FinalAnswer = 'settled' | 'open' | 'unheard';

/** Asks the rail about a collection once more, before a person has to look. */
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
        const outcome = await this.answers.report({
          key,
          channel,
          railReference,
          answer,
          previous,
        });
        if (outcome === undefined) return 'unheard';
        // One decline proves nothing: without a repetition the collection goes to review.
        return outcome === 'paid' || isRepeated(answer, previous) ? 'settled' : 'open';
      }
    }
  }
}

/**
 * `left`: there was nothing to do, the rail could not be asked, or its answer could not be recorded. The next look then
 * asks again.
 */
type StatusCheckResult = 'settled' | 'flagged' | 'left';

/**
 * The final status check of a collection without a report. The rail is asked once more before a person is: after an
 * outage of ours that outlasted RAIL_REVIEW_AFTER, the rail knows what a person would have to find out.
 */
@Injectable()
export class FinalStatusCheck {
  constructor(
    private readonly collections: CollectionsClient,
    private readonly question: FinalQuery,
    private readonly ids: Ids,
    private readonly rails: RailTable,
  ) {}

  /** @throws DependencyUnavailable */
  async at({ stream, isLate }: OverdueCollection): Promise<StatusCheckResult> {
    const key = collectionKeyOf(stream);
    if (!key) return 'left';
    const state = await this.collections.stateOf(key);
    // The view that listed it may be behind.
    if (state.status !== 'pending' || state.underReview) return 'left';
    const { channel, accountReference } = state.intent;
    const isOurs = this.rails.of(channel)?.usesOurReference === true;
    const railReference = viewOf(state).railReference ?? (isOurs ? accountReference : undefined);
    const asked =
      railReference === undefined
        ? 'open'
        : await this.question.ask(key, { channel, railReference });
    if (asked === 'settled') return 'settled';
    return asked === 'open' || isLate ? this.flag(key) : 'left';
  }

  private async flag(key: CollectionKey): Promise<StatusCheckResult> {
    const metadata = {
      correlationId: this.ids.next(),
      actor: { kind: 'system', id: 'worker' },
    } as const;
    const flagging = await this.collections.flag(key, 'no_word_from_rail', metadata);
    return flagging === 'flagged' ? 'flagged' : 'left';
  }
}
