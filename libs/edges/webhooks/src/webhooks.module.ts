import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Attempts } from './attempts.js';
import { Deliveries, DeliveryReports } from './deliveries.js';
import { DeliveryStep } from './delivery-step.js';
import { maxBound } from './target-bounds.js';
import { WebhookSender } from './sending/sender.js';
import { WebhookOptions } from './webhook-options.js';

/**
 * The worker's DeliveryStep. Needs, from the app's infrastructure: WebhookOptions, DeliveryQueue, EndpointSecrets,
 * EventStore, Clock, Timer, Ids, Metrics, and a handler for SetWebhookEndpoint.
 */
@Module({
  imports: [CqrsModule],
  providers: [
    Attempts,
    Deliveries,
    DeliveryReports,
    DeliveryStep,
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
