import { type CommandMetadata } from '#domain/event-sourcing';
import { DependencyUnavailable, Ids } from '#domain/kernel';
import { SetWebhookEndpoint } from '#domain/merchants';
import { Metrics } from '#infra/runtime';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Attempted, Attempts, type SendableDelivery } from './attempts.js';
import { DeliveryQueue, type LeasedDelivery } from './delivery-queue.js';
import { nextAttemptInMs } from './schedule.js';
import { WebhookOptions } from './webhook-options.js';

/** Until the views hold the event, or Postgres tells the secret. */
const putOffMs = 5000;

/** Who is told of attempts: metrics, the log, and of an endpoint that is gone the merchant's history. */
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

  tellFailing(delivery: LeasedDelivery, { outcome, status }: Attempted): void {
    const { merchantId, mode, kind, url } = delivery;
    const endpoint = { merchantId, mode, kind, host: hostOf(url) };
    this.log.warn({ msg: 'an endpoint of webhooks fails', ...endpoint, outcome, status });
  }

  /** Never rejects: where it cannot be done, the next 410 does it. */
  async disable({ merchantId, mode, kind, url }: LeasedDelivery): Promise<void> {
    const metadata: CommandMetadata = {
      correlationId: this.ids.next(),
      actor: { kind: 'system', id: 'worker' },
      reason: 'the endpoint answered 410',
    };
    const endpoint = { merchantId, mode, kind };
    const told = { ...endpoint, host: hostOf(url) };
    try {
      const done = await this.commands.execute(
        new SetWebhookEndpoint(endpoint, { to: 'disable', url }, metadata),
      );
      if (done.ok) this.log.warn({ msg: 'disabled an endpoint that is gone', ...told });
      else this.log.warn({ msg: 'an endpoint is not disabled', ...told, why: done.refusal });
    } catch (error) {
      this.log.error({ msg: 'an endpoint that is gone cannot be disabled', ...told, err: error });
    }
  }
}

/** Makes the attempt of a leased delivery, and writes down the outcome. */
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
   * @returns whether its target took it; undefined where that says nothing of the target: nothing was sent, or it refused
   *   this event
   * @throws DependencyUnavailable: the lease ends, and the attempt is made again
   */
  async bring({ event, ...delivery }: LeasedDelivery): Promise<boolean | undefined> {
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
    if (isNowOpen) this.reports.tellFailing(delivery, attempted);
    // A collection's own URL that is gone says nothing of the endpoint's.
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
      this.log.error({ msg: 'a webhook cannot be sent', webhookId, kind, err: error });
      return { outcome: 'defect', durationMs: 0 };
    }
  }
}

/** All that a log says of a URL, which may hold a secret in its path. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
