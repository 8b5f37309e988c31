import { Injectable, Logger } from '@nestjs/common';
import { Metrics } from '#runtime';
import { concurrently } from '../concurrently.js';
import { LastLook } from './last-look.js';
import { SilentCollections } from './silent-collections.js';

const mostAtOnce = 64;
const mostInFlight = 4;

/**
 * Gives collections to people of which nothing was heard for RAIL_REVIEW_AFTER, those included whose push and
 * callback were both lost, so that there is no rail reference to ask about; the others are asked about once more
 * before. They stay pending: a word that comes later still settles them. Several workers may do it at once; each
 * collection is flagged once.
 */
@Injectable()
export class SilenceStep {
  private readonly log = new Logger('rail silence');
  private readonly flagged;

  constructor(
    private readonly silent: SilentCollections,
    private readonly lastLook: LastLook,
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
    let [flagged, ended] = [0, 0];
    await concurrently(overdue, mostInFlight, async (stream) => {
      const found = await this.lastLook.at(stream);
      if (found === 'flagged') flagged += 1;
      if (found !== 'left') ended += 1;
    });
    this.flagged.inc(flagged);
    if (flagged > 0) this.log.warn({ msg: 'nothing was heard of collections', flagged });
    // A view that is behind names the same ones again: going on at once would only read them once more.
    return overdue.length === mostAtOnce && ended > 0 ? 'busy' : 'idle';
  }
}
