import { randomUUID } from 'node:crypto';
import { Clock, instantFromMs, type Mode, ok, refuse, type Result } from '#domain/kernel';
import { type WebhookKind } from '#domain/merchants';
import { Database } from '#infra/postgres';
import { noteWebhookSample, type WebhookAskedBy } from '#records/webhooks';
import { type TransactionItem } from '#views/transactions';
import {
  bodyAround,
  findWebhookEndpoint,
  numbered,
  supportsType,
  type WebhookType,
} from '#views/webhook-outbox';
import { type Attempted, Attempts } from './attempts.js';

/** A signed sample in live mode could be taken for money. */
const mode: Mode = 'demo';

/** `no_words`: V3 has no words for the type. */
export type SampleRefusal = 'no_endpoint' | 'no_words';

/** A sample, the URL that it went to, and the outcome; `attempted` is undefined if the process ends. */
export interface SentSample {
  readonly url: string;
  readonly attempted: Attempted | undefined;
}

/** Sends signed samples to demo endpoints, to a disabled one too (WEB-18). */
export class SampleWebhooks {
  constructor(
    private readonly database: Database,
    private readonly attempts: Attempts,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends one sample and waits for the outcome.
   * @param by the person who asks, whom the records name first
   * @throws DependencyUnavailable
   */
  async send(
    { merchantId, kind, type }: SampleWanted,
    by: WebhookAskedBy,
  ): Promise<Result<SentSample, SampleRefusal>> {
    if (!supportsType(kind, type)) return refuse('no_words');
    const endpoint = await findWebhookEndpoint(this.database, { merchantId, mode, kind });
    if (!endpoint) return refuse('no_endpoint');
    const made = sample(type, this.clock.nowMs());
    const requested = { webhookId: made.webhookId, kind, merchantId, mode, type };
    await noteWebhookSample(this.database, requested, by);
    const attempted = await this.attempts.make({ ...endpoint, ...made });
    return ok({ url: endpoint.url, attempted });
  }
}

/** The endpoint of a sample, in demo mode, and the sample's type. */
export interface SampleWanted {
  readonly merchantId: string;
  readonly kind: WebhookKind;
  readonly type: WebhookType;
}

const statusOf = {
  'collection.completed': 'completed',
  'collection.failed': 'failed',
  'payout.completed': 'completed',
  'payout.failed': 'failed',
  'payout.rejected': 'rejected',
} as const satisfies Record<WebhookType, TransactionItem['status']>;

/** A sample event of no real item; its reference says so. */
function sample(type: WebhookType, nowMs: number) {
  const { [type]: status } = statusOf;
  const now = instantFromMs(nowMs);
  const isPaid = status === 'completed';
  const data: TransactionItem = {
    type: type.startsWith('payout.') ? 'payout' : 'collection',
    reference: `SAMPLE-${nowMs}`,
    status,
    amount_minor: 25_000n,
    currency: 'KES',
    fee_minor: 375n,
    id: randomUUID(),
    account_no: '0000000000',
    channel: 'mpesa',
    rail_reference: 'sample',
    receipt: isPaid ? 'SAMPLE0000' : null,
    failure_code: status === 'failed' ? 'cancelled' : null,
    under_review: false,
    created_at: now,
    completed_at: isPaid ? now : null,
    paid_at: isPaid ? now : null,
    paid_at_known: isPaid,
  };
  const id = randomUUID();
  const body = numbered(bodyAround({ id, type, created_at: now, mode }, data), 0n);
  return { webhookId: id, event: { body } };
}
