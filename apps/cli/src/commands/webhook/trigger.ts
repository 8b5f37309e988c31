import { Database } from '#infra/postgres';
import { randomUUID } from 'node:crypto';
import { EndpointSecrets, noteWebhookSample } from '#records/webhooks';
import { EventStore } from '#domain/event-sourcing';
import { Clock, instantFromMs, type Mode } from '#domain/kernel';
import { type WebhookKind } from '#domain/merchants';
import { type Attempted, Attempts, WebhookSender } from '#edges/webhooks';
import { Keyring } from '#shared/signing';
import { type TransactionItem } from '#views/transactions';
import {
  bodyAround,
  findWebhookEndpoint,
  numbered,
  type WebhookType,
  webhookTypes,
} from '#views/webhook-outbox';
import { Argument } from 'commander';
import { withApp } from '../../app.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { merchantOption } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { serversOf } from '../../servers.js';
import { settingsOrRefused } from '../../settings.js';
import { kindOption, requireWords } from './endpoint.js';

/** A signed sample in live mode could be taken for money. */
const mode: Mode = 'demo';

interface TriggerOptions extends ChangeOptions {
  readonly merchant: string;
  readonly kind: WebhookKind;
}

export const trigger = change(
  'trigger',
  'sends one signed sample to a merchant’s demo endpoint; its sequence is 0, which no event has',
  'webhook trigger collection.completed --merchant M --reason "they test their receiver"',
)
  .addArgument(new Argument('<type>', 'the type of the sample').choices(webhookTypes))
  .addOption(merchantOption)
  .addOption(kindOption())
  .action(async (type: WebhookType, options: TriggerOptions) => {
    const { merchant: merchantId, kind, json } = options;
    requireWords(kind, type);
    const { webhookAllowPrivate: allowPrivate } = await serversOf(settingsOrRefused());
    const { attempted, url } = await withApp(async (app) => {
      const database = app.get(Database);
      const endpoint = await findWebhookEndpoint(database, { merchantId, mode, kind });
      if (!endpoint)
        throw new Refused([
          `there is no ${kind} endpoint in demo mode: npx pesapost webhook set --merchant ${merchantId} --mode demo`,
        ]);
      const clock = app.get(Clock);
      const made = sample(type, clock.nowMs());
      const requested = { webhookId: made.webhookId, kind, merchantId, mode, type };
      await noteWebhookSample(database, requested, operatorMetadata(options));
      const sender = new WebhookSender({ allowPrivate, maxConnections: 1 });
      const secrets = new EndpointSecrets(database, app.get(Keyring));
      try {
        const attempts = new Attempts(sender, secrets, clock, app.get<EventStore>(EventStore));
        const attempt = await attempts.make({ ...endpoint, ...made });
        return { attempted: attempt, url: endpoint.url };
      } finally {
        await sender.close();
      }
    });
    if (attempted?.outcome !== 'delivered') throw new Refused([`${url}: ${failureOf(attempted)}`]);
    const { outcome, status, durationMs } = attempted;
    if (json) printJson({ outcome, status, duration_ms: durationMs });
    else printLines([`${url}: ${status ?? outcome}, ${durationMs} ms`]);
  });

function failureOf(attempted: Attempted | undefined): string {
  const { outcome = 'not sent', status } = attempted ?? {};
  return status === undefined ? outcome : `${outcome}, status ${status}`;
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
