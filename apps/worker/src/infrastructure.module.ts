import { WebhookSecrets } from '#domain/merchants';
import { Proposals } from '#domain/proposals';
import { RecordedProposals } from '#records/people';
import { RecordedWebhookSecrets } from '#records/webhooks';
import { constructed, Ids } from '#domain/kernel';
import { railWorkRecords } from '#adapters/rail-records';
import {
  RecordedPayoutAllowances,
  RecordedPayoutBatchItems,
  RecordedPayoutPhones,
  SealedPhoneVault,
} from '#records/payouts';
import { SealKeySigner } from '#adapters/audit';
import { receiptUse, serviceProviders } from '#adapters/wiring';
import { HeadSigner } from '#domain/audit';
import { EventStore } from '#domain/event-sourcing';
import { PostedCredits, Reservations } from '#domain/ledger';
import {
  PayoutAge,
  PayoutAllowances,
  PayoutBatchItems,
  PayoutOrders,
  PayoutPhones,
} from '#domain/payouts';
import { AnnouncedAdmins, NoticeOptions } from '#edges/notices';
import { RailWorkOptions } from '#edges/rails';
import { WebhookOptions } from '#edges/webhooks';
import { Database } from '#infra/postgres';
import { RedisStore } from '#infra/redis';
import { type ProcessContext } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { ProjectedCredits } from '#views/balances';
import { RecordedPayoutOrders } from '#views/payouts';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AnnouncedInLog } from './break-glass.js';
import { PlatformDays } from './daily-seal.js';

/** Binds the worker's ports to its servers. When the module is up, records and views exist. */
@Module({})
export class InfrastructureModule {
  static with(context: ProcessContext): DynamicModule {
    const providers = [
      ...serviceProviders(context, { makesCallbackUrls: true }),
      ...ports(context),
      ...railWorkRecords,
      ...receiptUse,
    ];
    return { module: InfrastructureModule, global: true, providers, exports: providers };
  }
}

function ports({ settings, servers, logger }: ProcessContext): Provider[] {
  return [
    {
      provide: RedisStore,
      useFactory: () => RedisStore.open({ url: servers.redisUrl, logger }),
    },
    { provide: SealKeySigner, useFactory: () => SealKeySigner.from(settings.auditSealKey) },
    { provide: HeadSigner, useExisting: SealKeySigner },
    { provide: PlatformDays, useValue: new PlatformDays(settings.platformTimezone) },
    constructed(AnnouncedAdmins, AnnouncedInLog, [EventStore]),
    {
      provide: NoticeOptions,
      useFactory: () => new NoticeOptions(settings.notices, settings.oidc && settings.portalUrl),
    },
    { provide: RailWorkOptions, useFactory: () => RailWorkOptions.of(settings) },
    { provide: PayoutAge, useFactory: () => new PayoutAge(settings.payoutMaxAgeMs) },
    {
      provide: WebhookOptions,
      useFactory: () => new WebhookOptions({ allowPrivate: settings.webhookAllowPrivate === true }),
    },
    {
      provide: PayoutPhones,
      inject: [Database, Keyring],
      useFactory: async (database: Database, keyring: Keyring) => {
        const vault = await SealedPhoneVault.open(database, keyring);
        return new RecordedPayoutPhones(database, keyring, vault);
      },
    },
    constructed(WebhookSecrets, RecordedWebhookSecrets, [Database, Keyring]),
    constructed(Proposals, RecordedProposals, [Database]),
    constructed(PayoutAllowances, RecordedPayoutAllowances, [Database]),
    constructed(PayoutOrders, RecordedPayoutOrders, [Database]),
    constructed(PayoutBatchItems, RecordedPayoutBatchItems, [Database, Keyring]),
    constructed(PostedCredits, ProjectedCredits, [Database]),
    constructed(Reservations, Reservations, [EventStore, PostedCredits, Ids]),
  ];
}
