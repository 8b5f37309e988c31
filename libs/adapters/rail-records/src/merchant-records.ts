import { Clock, constructed } from '#domain/kernel';
import { type WebhookKind } from '#domain/merchants';
import { type Person, personId } from '#domain/people';
import {
  CallRecords,
  type DeliveriesWanted,
  type Delivery,
  HandledExceptions,
  SavedViews,
  V3Readiness,
  WebhookLog,
  type MerchantMode,
} from '#edges/portal';
import { Database } from '#infra/postgres';
import { type Readiness } from '#views/v3-usage';
import { type WebhookEvent } from '#views/webhook-outbox';
import { type Provider } from '@nestjs/common';
import { readV3Readiness } from '#records/v3-usage';
import {
  listWebhookDeliveries,
  listWebhookDeliveriesOf,
  listWebhookHealth,
  readWebhookDeliveries,
  resendWebhook,
} from '#records/webhooks';
import { RecordedCalls } from '#records/credentials';
import { RecordedHandledExceptions, RecordedSavedViews } from '#records/people';

class RecordedWebhookLog extends WebhookLog {
  constructor(private readonly database: Database) {
    super();
  }

  override list(wanted: DeliveriesWanted): Promise<readonly Delivery[]> {
    return listWebhookDeliveries(this.database, wanted);
  }

  override find(webhookId: string): ReturnType<WebhookLog['find']> {
    return readWebhookDeliveries(this.database, webhookId);
  }

  override async ofEvents(
    { merchantId, mode }: MerchantMode,
    webhookIds: readonly string[],
  ): Promise<readonly Delivery[]> {
    const found = await listWebhookDeliveriesOf(this.database, webhookIds);
    return found.filter((of) => of.merchantId === merchantId && of.mode === mode);
  }

  override health(merchantId: string): ReturnType<WebhookLog['health']> {
    return listWebhookHealth(this.database, merchantId);
  }

  override resend(
    event: Omit<WebhookEvent, 'body'>,
    kind: WebhookKind,
    person: Person,
  ): Promise<void> {
    const actor = { kind: 'operator', id: personId(person) } as const;
    return resendWebhook(this.database, event, kind, { actor });
  }
}

class RecordedV3Readiness extends V3Readiness {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly gaDate: string,
  ) {
    super();
  }

  override of(merchantId: string): Promise<Readiness> {
    const at = { now: this.clock.now(), gaDate: this.gaDate };
    return readV3Readiness(this.database, at, merchantId);
  }
}

/** Implements the ports of a merchant's pages. Needs Database and Clock. @param gaDate V4_GA_DATE */
export function merchantPageRecords({ gaDate }: { readonly gaDate: string }): readonly Provider[] {
  return [
    constructed(WebhookLog, RecordedWebhookLog, [Database]),
    constructed(CallRecords, RecordedCalls, [Database]),
    constructed(SavedViews, RecordedSavedViews, [Database]),
    constructed(HandledExceptions, RecordedHandledExceptions, [Database]),
    {
      provide: V3Readiness,
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock) =>
        new RecordedV3Readiness(database, clock, gaDate),
    },
  ];
}
