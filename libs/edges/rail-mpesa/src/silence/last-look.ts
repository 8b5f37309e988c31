import { type CollectionKey, collectionKeyOf, viewOf } from '#domain/collections';
import { Ids } from '#domain/kernel';
import { type SilentCollection } from '#views/read-models';
import { Injectable } from '@nestjs/common';
import { CollectionBus } from '../collection-bus.js';
import { LastQuestion } from './last-question.js';

/**
 * `left`: there was nothing to do, or the rail could not be asked, or its answer could not be recorded; then the next
 * look asks again.
 */
export type LookedAt = 'settled' | 'flagged' | 'left';

/**
 * The last look at a collection of which nothing was heard. The rail is asked once more before a person is: after
 * an outage of ours that outlasted RAIL_REVIEW_AFTER it knows what a person would have to find out.
 */
@Injectable()
export class LastLook {
  constructor(
    private readonly collections: CollectionBus,
    private readonly question: LastQuestion,
    private readonly ids: Ids,
  ) {}

  /** @throws DependencyUnavailable */
  async at({ stream, isLate }: SilentCollection): Promise<LookedAt> {
    const key = collectionKeyOf(stream);
    if (!key) return 'left';
    const state = await this.collections.stateOf(key);
    // The view that named it may be behind.
    if (state.status !== 'pending' || state.underReview) return 'left';
    const { railReference } = viewOf(state);
    const asked =
      railReference === undefined ? 'open' : await this.question.ask(key, railReference);
    if (asked === 'settled') return 'settled';
    return asked === 'open' || isLate ? this.flag(key) : 'left';
  }

  private async flag(key: CollectionKey): Promise<LookedAt> {
    const metadata = {
      correlationId: this.ids.next(),
      actor: { kind: 'system', id: 'worker' },
    } as const;
    const flagging = await this.collections.flag(key, 'no_word_from_rail', metadata);
    return flagging === 'flagged' ? 'flagged' : 'left';
  }
}
