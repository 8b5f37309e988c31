import { type CommandMetadata } from '#domain/event-sourcing';
import { DependencyUnavailable, Ids } from '#domain/kernel';
import { SetWebhookEndpoint } from '#domain/merchants';
import { Metrics, traceMembers } from '#infra/runtime';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Attempted, Attempts, type SendableDelivery } from './attempts.js';
import { DeliveryQueue, type LeasedDelivery } from '#records/webhooks';
import { nextAttemptInMs } from './schedule.js';
import { WebhookOptions } from './webhook-options.js';

/** How long a delivery waits if its event is not in the views yet, or its secret cannot be read. */
const putOffMs = 5000;

/** Reports attempts to the metrics and the log, and reports an endpoint that is gone to the merchant's stream. */
@Injectable()
export class DeliveryReports {
  private readonly log = new Logger('webhooks');
  private readonly made;
  private readonly firstSeconds;

  constructor(
    private readonly commands: CommandBus,
    private readonly ids: Ids,
    metrics: Metrics,
  ) {
    this.made = metrics.counter({
      name: 'webhook_attempts_total',
      help: 'Attempts to deliver webhooks, by outcome',
      labels: ['mode', 'kind', 'outcome'],
    });
    this.firstSeconds = metrics.histogram({
      name: 'webhook_first_attempt_seconds',
      help: 'From the event to the first attempt to deliver its webhook',
      labels: ['mode'],
    });
  }

  count({ mode, kind, attempt, ageMs }: LeasedDelivery, { outcome }: Attempted): void {
    this.made.inc({ mode, kind, outcome });
    if (attempt === 1) this.firstSeconds.observe({ mode }, Math.max(0, ageMs) / 1000);
  }

  warnOfFailing(delivery: LeasedDelivery, { outcome, status }: Attempted): void {
    const { merchantId, mode, kind, url } = delivery;
    const endpoint = { merchantId, mode, kind, host: hostOf(url) };
    this.log.warn({ msg: 'an endpoint of webhooks fails', ...endpoint, outcome, status });
  }

  /** Never rejects: the next 410 tries again. */
  async disable({ merchantId, mode, kind, url }: LeasedDelivery): Promise<void> {
    const metadata: CommandMetadata = {
      correlationId: this.ids.next(),
      actor: { kind: 'system', id: 'worker' },
      reason: 'the endpoint answered 410',
    };
    const endpoint = { merchantId, mode, kind };
    const logged = { ...endpoint, host: hostOf(url) };
    try {
      const done = await this.commands.execute(
        new SetWebhookEndpoint(endpoint, { to: 'disable', url }, metadata),
      );
      if (done.ok) this.log.warn({ msg: 'disabled an endpoint that is gone', ...logged });
      else this.log.warn({ msg: 'an endpoint is not disabled', ...logged, why: done.refusal });
    } catch (error) {
      this.log.error({ msg: 'an endpoint that is gone cannot be disabled', ...logged, err: error });
    }
  }
}

/** Makes the attempt of a leased delivery and records its outcome. */
@Injectable()
export class Deliveries {
  private readonly log = new Logger('webhooks');

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly attempts: Attempts,
    private readonly reports: DeliveryReports,
    private readonly options: WebhookOptions,
  ) {}

  /**
   * @returns true if its target accepted it; undefined if the attempt shows nothing about the target: nothing was sent,
   *   or the target refused this event
   * @throws DependencyUnavailable: the attempt is made again when the lease has ended
   */
  async deliver({ event, ...delivery }: LeasedDelivery): Promise<boolean | undefined> {
    const attempted = event && (await this.attempt({ ...delivery, event }));
    if (!attempted) {
      await this.queue.putOff(delivery, putOffMs);
      return undefined;
    }
    const { outcome } = attempted;
    const { attempt, ageMs } = delivery;
    const againInMs =
      outcome === 'delivered' ? undefined : nextAttemptInMs(attempt, ageMs, this.options.random);
    const { isNowOpen } = await this.queue.record({
      delivery,
      ...attempted,
      ...(againInMs !== undefined && { againInMs }),
    });
    this.reports.count(delivery, attempted);
    if (isNowOpen) this.reports.warnOfFailing(delivery, attempted);
    // A collection's own callback URL may be gone while the endpoint's is not.
    if (outcome === 'gone' && delivery.goesTo.callbackHost === '')
      await this.reports.disable(delivery);
    return outcome === 'refused' ? undefined : outcome === 'delivered';
  }

  private async attempt(
    delivery: LeasedDelivery & SendableDelivery,
  ): Promise<Attempted | undefined> {
    try {
      return await this.attempts.make(delivery);
    } catch (error) {
      if (error instanceof DependencyUnavailable) return undefined;
      const { webhookId, kind } = delivery;
      const traced = traceMembers(delivery.traceparent);
      this.log.error({ msg: 'a webhook cannot be sent', webhookId, kind, ...traced, err: error });
      return { outcome: 'defect', durationMs: 0 };
    }
  }
}

/** Returns the part of a URL that may be logged. Its path may contain a secret. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
