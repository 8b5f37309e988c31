import { Clock, constructed } from '#domain/kernel';
import { EventStore } from '#domain/event-sourcing';
import { WebhookSecrets } from '#domain/merchants';
import { StatementReaders } from '#domain/reconciliation';
import { statementReaders } from '#adapters/wiring';
import { DeveloperPagesOptions, MerchantPagesOptions, TestWebhooks } from '#edges/portal';
import { Attempts, SampleWebhooks, WebhookSender } from '#edges/webhooks';
import { Database } from '#infra/postgres';
import { type ProcessContext } from '#infra/runtime';
import { EndpointSecrets, RecordedWebhookSecrets } from '#records/webhooks';
import { Keyring } from '#shared/signing';
import { type Provider } from '@nestjs/common';
import { TestWebhooksFromHere } from './test-webhooks.js';

/** Providers of the pages of merchants' own people, in addition to the API's own. */
export function merchantPages({ settings, logger }: ProcessContext): Provider[] {
  const { readModelMaxAgeMs, v4GaDate, allowUnsafe, notices } = settings;
  const allowPrivate = settings.webhookAllowPrivate === true;
  return [
    {
      provide: MerchantPagesOptions,
      useFactory: () => new MerchantPagesOptions(readModelMaxAgeMs, logger, v4GaDate),
    },
    {
      provide: DeveloperPagesOptions,
      useFactory: () =>
        new DeveloperPagesOptions(
          allowPrivate,
          allowUnsafe.includes('credentials-for-everybody'),
          notices.mail !== undefined,
        ),
    },
    { provide: StatementReaders, useFactory: () => statementReaders(settings) },
    constructed(WebhookSecrets, RecordedWebhookSecrets, [Database, Keyring]),
    constructed(EndpointSecrets, EndpointSecrets, [Database, Keyring]),
    {
      provide: WebhookSender,
      useFactory: () => new WebhookSender({ allowPrivate, maxConnections: 1 }),
    },
    constructed(Attempts, Attempts, [WebhookSender, EndpointSecrets, Clock, EventStore]),
    constructed(SampleWebhooks, SampleWebhooks, [Database, Attempts, Clock]),
    constructed(TestWebhooks, TestWebhooksFromHere, [SampleWebhooks, WebhookSender]),
  ];
}
