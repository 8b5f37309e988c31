import { expireDeliveries, type FailingEndpoint, failingEndpoints } from '#records/webhooks';
import { Ids } from '#domain/kernel';
import { deliveredWithinMs, hostOf } from '#edges/webhooks';
import { Database, Lease } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { Injectable, Logger } from '@nestjs/common';

const maxExpired = 1000;
const dayMs = 86_400_000;
/** The most lines of one day's summary. */
const maxListed = 100;

/** Ends expired deliveries, and logs once a day which endpoints fail. */
@Injectable()
export class WebhookUpkeep {
  private readonly log = new Logger('webhooks');
  private readonly expired;

  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    metrics: Metrics,
  ) {
    this.expired = metrics.counter({
      name: 'webhooks_expired_total',
      help: 'Deliveries that no endpoint took in 30 days; their events are in the feed',
    });
  }

  /** @throws DependencyUnavailable */
  async step(): Promise<'idle' | 'busy'> {
    const expired = await expireDeliveries(this.database, deliveredWithinMs, maxExpired);
    this.expired.inc(expired);
    if (await this.isFirstOfDay()) await this.tellFailing();
    return expired === maxExpired ? 'busy' : 'idle';
  }

  /**
   * True once a day among all workers, even after restarts: the lease is never renewed, so it changes hands once a day.
   */
  private async isFirstOfDay(): Promise<boolean> {
    const lease = { name: 'webhook-summary', holder: this.ids.next(), durationMs: dayMs };
    return (await new Lease(this.database, lease).tryAcquire()) !== undefined;
  }

  private async tellFailing(): Promise<void> {
    const { endpoints, ofAll } = await failingEndpoints(this.database, maxListed);
    for (const endpoint of endpoints)
      this.log.warn({ msg: 'an endpoint of webhooks fails, of today', ...lineOf(endpoint) });
    if (ofAll > endpoints.length)
      this.log.warn({ msg: 'more endpoints of webhooks fail', more: ofAll - endpoints.length });
  }
}

function lineOf({ url, callbackHost, ...endpoint }: FailingEndpoint) {
  return { ...endpoint, host: callbackHost === '' ? hostOf(url) : callbackHost };
}
