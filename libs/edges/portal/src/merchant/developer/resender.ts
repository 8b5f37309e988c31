import { type WebhookKind } from '#domain/merchants';
import { Database } from '#infra/postgres';
import { type Delivery, resendWebhook } from '#records/webhooks';
import { findWebhookEndpoint, findWebhookEvent, supportsType } from '#views/webhook-outbox';
import { Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { viewerOf } from '../../access/viewer.js';
import { actingFor } from '../../operator/acting.js';
import { type ResendProblem } from './delivery-page.js';

/** Does the same as the command line's `webhook resend`: the same id, the same bytes. */
@Injectable()
export class Resender {
  constructor(private readonly database: Database) {}

  /**
   * Makes a delivery due now, in the viewer's name.
   * @returns why it cannot be sent again
   * @throws DependencyUnavailable
   */
  async send(
    request: FastifyRequest,
    delivery: Delivery,
    kind: WebhookKind,
  ): Promise<ResendProblem | undefined> {
    const { merchantId, mode } = delivery;
    const event = await findWebhookEvent(this.database, delivery.webhookId, delivery);
    if (!event) return 'gone';
    if (!supportsType(kind, event.type)) return 'no_words';
    const endpoint = await findWebhookEndpoint(this.database, { merchantId, mode, kind });
    if (!endpoint) return 'no_endpoint';
    if (!endpoint.enabled) return 'disabled';
    const by = actingFor(request, viewerOf(request), undefined);
    await resendWebhook(this.database, event, kind, by);
    return undefined;
  }
}
