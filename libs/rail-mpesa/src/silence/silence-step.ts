import { Injectable, Logger } from '@nestjs/common';
import { collectionKeyOf } from '#collections';
import { Ids } from '#kernel';
import { Metrics } from '#runtime';
import { CollectionBus } from '../collection-bus.js';
import { concurrently } from '../concurrently.js';
import { SilentCollections } from './silent-collections.js';

const mostAtOnce = 64;
const mostInFlight = 4;

/**
 * Gives collections to people of which nothing was heard for RAIL_REVIEW_AFTER, those included whose push and
 * callback were both lost, so that there is no rail reference to ask about. They stay pending: a word that comes
 * later still settles them. Several workers may do it at once; each collection is flagged once.
 */
@Injectable()
export class SilenceStep {
  private readonly log = new Logger('rail silence');
  private readonly flagged;

  constructor(
    private readonly silent: SilentCollections,
    private readonly collections: CollectionBus,
    private readonly ids: Ids,
    metrics: Metrics,
  ) {
    this.flagged = metrics.counter({
      name: 'rail_silences_flagged_total',
      help: 'Collections listed for review because nothing was heard of them',
    });
  }

  /** @throws DependencyUnavailable */
  async step(): Promise<'idle' | 'busy'> {
    const overdue = await this.silent.overdue(mostAtOnce);
    let flagged = 0;
    await concurrently(overdue, mostInFlight, async (stream) => {
      if (await this.isFlagged(stream)) flagged += 1;
    });
    this.flagged.inc(flagged);
    if (flagged > 0) this.log.warn({ msg: 'nothing was heard of collections', flagged });
    // A view that is behind names the same ones again: going on at once would only read them once more.
    return overdue.length === mostAtOnce && flagged > 0 ? 'busy' : 'idle';
  }

  private async isFlagged(stream: string): Promise<boolean> {
    const key = collectionKeyOf(stream);
    if (!key) return false;
    const metadata = {
      correlationId: this.ids.next(),
      actor: { kind: 'system', id: 'worker' },
    } as const;
    return (await this.collections.flag(key, 'no_word_from_rail', metadata)) === 'flagged';
  }
}
