import { collectionStream } from '#domain/collections';
import { EventStore } from '#domain/event-sourcing';
import { Clock } from '#domain/kernel';
import { type WebhookEndpointKey } from '#domain/merchants';
import { type Span, tracing } from '#infra/runtime';
import { UnopenableCiphertext, v3WebhookHeaders, webhookHeaders } from '#shared/signing';
import { Injectable, Logger } from '@nestjs/common';
import { type KeyObject } from 'node:crypto';
import { type AttemptOutcome, EndpointSecrets, type LeasedDelivery } from '#records/webhooks';
import { type WebhookRequest, WebhookSender } from './sending/sender.js';
import { referenceOf, v3BodyOf } from './v3-body.js';

/** The outcome and the duration of an attempt. */
export interface Attempted {
  readonly outcome: AttemptOutcome;
  readonly status?: number;
  readonly durationMs: number;
}

/** A delivery with a known body, in the form that an attempt needs. */
export type SendableDelivery = WebhookEndpointKey &
  Pick<LeasedDelivery, 'webhookId' | 'url' | 'standardHeaders' | 'traceparent'> &
  Required<Pick<LeasedDelivery, 'event'>>;

/** Signs and sends one delivery. */
@Injectable()
export class Attempts {
  private readonly log = new Logger('webhooks');

  constructor(
    private readonly sender: WebhookSender,
    private readonly secrets: EndpointSecrets,
    private readonly clock: Clock,
    private readonly store: EventStore,
  ) {}

  /** @returns undefined if the process ends @throws DependencyUnavailable; nothing was sent then */
  async make(delivery: SendableDelivery): Promise<Attempted | undefined> {
    const secrets = await this.secretsOf(delivery);
    if (secrets.length === 0) return { outcome: 'no_secret', durationMs: 0 };
    const timestamp = Math.floor(this.clock.nowMs() / 1000).toString();
    const { merchantId, mode, kind } = delivery;
    const endpoint = `${merchantId} ${mode} ${kind}`;
    const span = tracing?.continue('webhook', 'client', delivery.traceparent);
    const request = requestOf(delivery, secrets, timestamp);
    const sent = await this.sender.send(endpoint, span ? continued(request, kind, span) : request);
    span?.end({
      'http.response.status_code': sent?.status,
      'pesapost.mode': mode,
      'pesapost.kind': kind,
      'pesapost.outcome': sent?.outcome ?? 'process_ended',
    });
    return sent;
  }

  private async secretsOf(delivery: SendableDelivery): Promise<readonly KeyObject[]> {
    if (delivery.kind === 'v3') return this.consumerKeyOf(delivery);
    try {
      return await this.secrets.of(delivery);
    } catch (error) {
      if (!(error instanceof UnopenableCiphertext)) throw error;
      const { merchantId, mode, kind } = delivery;
      this.log.error({ msg: 'no secret can be opened', merchantId, mode, kind, err: error });
      return [];
    }
  }

  /**
   * Returns the key of the V3 credential that created the collection, if it is not revoked: the merchant's systems know
   * only their own consumer key. Otherwise returns the newest one (WEB-20).
   */
  private async consumerKeyOf({
    merchantId,
    mode,
    event,
  }: SendableDelivery): Promise<readonly KeyObject[]> {
    const keys = await this.secrets.consumerKeys(merchantId);
    const newest = keys.at(-1);
    if (!newest) return [];
    // Only a merchant with several keys needs the log.
    if (keys.length === 1) return [newest.key];
    const stream = collectionStream({ merchantId, mode, reference: referenceOf(event.body) });
    const [intent] = await this.store.readStream(stream, 0n, 1);
    const caller = intent?.metadata.actor.id;
    const { key } = keys.find(({ credentialId }) => credentialId === caller) ?? newest;
    return [key];
  }
}

/** V3's webhooks are frozen, so only V4's carry the trace to the merchant (WEB-30). */
function continued(
  request: WebhookRequest,
  kind: SendableDelivery['kind'],
  { traceparent }: Span,
): WebhookRequest {
  if (kind === 'v3') return request;
  return { ...request, headers: { ...request.headers, traceparent } };
}

function requestOf(
  { webhookId: id, kind, url, standardHeaders, event }: SendableDelivery,
  secrets: readonly KeyObject[],
  timestamp: string,
): WebhookRequest {
  const [newest] = secrets;
  if (kind === 'v3' && newest) {
    const body = v3BodyOf(event.body);
    return { url, body, headers: v3WebhookHeaders(body, newest) };
  }
  const { body } = event;
  const headers = webhookHeaders({ id, timestamp, body }, secrets, { standard: standardHeaders });
  return { url, body, headers };
}
