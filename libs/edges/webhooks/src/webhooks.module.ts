import { constructed } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { DeliveryQueue, EndpointSecrets } from '#records/webhooks';
import { Keyring } from '#shared/signing';
import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Attempts } from './attempts.js';
import { Deliveries, DeliveryReports } from './deliveries.js';
import { DeliveryStep } from './delivery-step.js';
import { maxBound } from './target-bounds.js';
import { WebhookSender } from './sending/sender.js';
import { WebhookOptions } from './webhook-options.js';

/**
 * The worker's DeliveryStep. Needs, from the app's infrastructure: WebhookOptions, Database (search path on the views),
 * Keyring, EventStore, Clock, Timer, Ids, Metrics, and a handler for SetWebhookEndpoint.
 */
@Module({
  imports: [CqrsModule],
  providers: [
    Attempts,
    Deliveries,
    DeliveryReports,
    DeliveryStep,
    constructed(DeliveryQueue, DeliveryQueue, [Database]),
    constructed(EndpointSecrets, EndpointSecrets, [Database, Keyring]),
    {
      provide: WebhookSender,
      inject: [WebhookOptions],
      useFactory: ({ allowPrivate }: WebhookOptions) =>
        new WebhookSender({ allowPrivate, maxConnections: maxBound }),
    },
  ],
  exports: [DeliveryStep, WebhookSender],
})
export class WebhooksModule {}
