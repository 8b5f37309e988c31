import { Database } from '#infra/postgres';
import { EndpointSecrets } from '#records/webhooks';
import { EventStore } from '#domain/event-sourcing';
import { Clock } from '#domain/kernel';
import { type WebhookKind } from '#domain/merchants';
import {
  type Attempted,
  Attempts,
  type SampleRefusal,
  SampleWebhooks,
  WebhookSender,
} from '#edges/webhooks';
import { Keyring } from '#shared/signing';
import { type WebhookType, webhookTypes } from '#views/webhook-outbox';
import { Argument } from 'commander';
import { withApp } from '../../app.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { merchantOption } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { serversOf } from '../../servers.js';
import { settingsOrRefused } from '../../settings.js';
import { kindOption, requireWords } from './endpoint.js';

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
    const sent = await withApp(async (app) => {
      const database = app.get(Database);
      const sender = new WebhookSender({ allowPrivate, maxConnections: 1 });
      const secrets = new EndpointSecrets(database, app.get(Keyring));
      const clock = app.get(Clock);
      try {
        const attempts = new Attempts(sender, secrets, clock, app.get<EventStore>(EventStore));
        const samples = new SampleWebhooks(database, attempts, clock);
        return await samples.send({ merchantId, kind, type }, operatorMetadata(options));
      } finally {
        await sender.close();
      }
    });
    if (!sent.ok) throw new Refused([refusalOf(sent.refusal, options, type)]);
    const { attempted, url } = sent.value;
    if (attempted?.outcome !== 'delivered') throw new Refused([`${url}: ${failureOf(attempted)}`]);
    const { outcome, status, durationMs } = attempted;
    if (json) printJson({ outcome, status, duration_ms: durationMs });
    else printLines([`${url}: ${status ?? outcome}, ${durationMs} ms`]);
  });

function refusalOf(
  refusal: SampleRefusal,
  { merchant, kind }: TriggerOptions,
  type: WebhookType,
): string {
  const of = `--merchant ${merchant} --mode demo`;
  return {
    no_endpoint: `there is no ${kind} endpoint in demo mode: npx pesapost webhook set ${of}`,
    no_words: `V3 has no words for ${type}`,
  }[refusal];
}

function failureOf(attempted: Attempted | undefined): string {
  const { outcome = 'not sent', status } = attempted ?? {};
  return status === undefined ? outcome : `${outcome}, status ${status}`;
}
