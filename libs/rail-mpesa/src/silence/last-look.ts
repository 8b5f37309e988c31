import { collectionKeyOf, viewOf } from '#collections';
import { Ids } from '#kernel';
import { Injectable } from '@nestjs/common';
import { CollectionBus } from '../collection-bus.js';
import { QueriedAnswers } from '../query/queried-answers.js';
import { RailQuestions } from '../query/rail-questions.js';

/** `left`: there was nothing to do, or the rail's answer could not be recorded and the next look asks again. */
export type LookedAt = 'settled' | 'flagged' | 'left';

/**
 * The last look at a collection of which nothing was heard. The rail is asked once more before a person is: after
 * an outage of ours that outlasted RAIL_REVIEW_AFTER it knows what a person would have to find out.
 */
@Injectable()
export class LastLook {
  constructor(
    private readonly collections: CollectionBus,
    private readonly questions: RailQuestions,
    private readonly answers: QueriedAnswers,
    private readonly ids: Ids,
  ) {}

  /** @throws DependencyUnavailable */
  async at(stream: string): Promise<LookedAt> {
    const key = collectionKeyOf(stream);
    if (!key) return 'left';
    const state = await this.collections.stateOf(key);
    // The view that named it may be behind.
    if (state.status !== 'pending' || state.underReview) return 'left';
    const { railReference } = viewOf(state);
    if (railReference !== undefined) {
      const answer = await this.questions.ask(key.mode, railReference);
      if (answer.kind === 'paid' || answer.kind === 'declined') {
        const told = await this.answers.tell({ key, railReference, answer });
        if (told === undefined) return 'left';
        if (told === answer.kind) return 'settled';
      }
    }
    const metadata = {
      correlationId: this.ids.next(),
      actor: { kind: 'system', id: 'worker' },
    } as const;
    const flagging = await this.collections.flag(key, 'no_word_from_rail', metadata);
    return flagging === 'flagged' ? 'flagged' : 'left';
  }
}
