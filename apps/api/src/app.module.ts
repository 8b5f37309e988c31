import { findLinkSecrets } from '#records/credentials';
import { RecordedPersonSessions } from '#records/people';
import { constructed, Ids } from '#domain/kernel';
import { proofsOf } from '#adapters/audit';
import { railRecords } from '#adapters/rail-records';
import {
  RecordedPayoutAllowances,
  RecordedPayoutBatchItems,
  RecordedPayoutPhones,
  SealedPhoneVault,
} from '#records/payouts';
import { serviceProviders, twoAdminsModule } from '#adapters/wiring';
import { PostingProofs } from '#domain/audit';
import {
  CollectionInitiationModule,
  CollectionsModule,
  PhoneVault,
  ReviewsModule,
} from '#domain/collections';
import { CorrectionsModule } from '#domain/corrections';
import { EventStore } from '#domain/event-sourcing';
import { EvidenceModule } from '#domain/evidence';
import { PostedCredits, Reservations } from '#domain/ledger';
import {
  CredentialRevocationModule,
  MerchantDirectory,
  WebhookEndpointsModule,
} from '#domain/merchants';
import {
  PaidNumbers,
  PayoutAllowances,
  PayoutBatchItems,
  PayoutOrders,
  PayoutPhones,
  PayoutReportsModule,
  PayoutRequestsModule,
  PayoutReviewsModule,
  PayoutTermsDirectory,
} from '#domain/payouts';
import {
  HolderDirectory,
  HoldersInLog,
  PeopleModule,
  PersonSessions,
  RoleDirectory,
  RoleHistory,
  RolesInLog,
} from '#domain/people';
import { ReconciliationModule } from '#domain/reconciliation';
import { SettlementsModule } from '#domain/settlements';
import { ApiDocsModule, ApiDocsOptions } from '#edges/api-docs';
import { ApiV4Module, ApiV4Options } from '#edges/api-v4';
import { CheckoutModule, CheckoutOptions } from '#edges/checkout';
import { PortalModule, PortalOptions } from '#edges/portal';
import { V3GateOptions } from '#edges/v3-gate';
import { Database, ReadDatabase } from '#infra/postgres';
import { observeMemory, RedisStore } from '#infra/redis';
import { hasLiveRail, type ProcessContext, type Settings } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { CachedMerchantDirectory, CachedMerchants } from '#views/merchants';
import { ProjectedCredits } from '#views/balances';
import { ProjectedPaidNumbers, ProjectedPayoutTerms, RecordedPayoutOrders } from '#views/payouts';
import { openReadViews } from '#views/view-set';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApiV3Module } from '#edges/api-v3';
import { RailCallbacksModule } from '#edges/rails';
import { auditor } from './auditor.js';
import { desk } from './desk.js';
import { merchantPages } from './merchant-pages.js';
import { presenceRule } from './presence-rule.js';

/** Binds the API's ports to its servers. When the module is up, everything that it reads exists. */
@Module({})
class InfrastructureModule {
  static with(context: ProcessContext): DynamicModule {
    const providers = [
      ...serviceProviders(context, { makesCallbackUrls: true }),
      ...options(context),
      ...ports(context),
      ...payoutPorts(),
      proofs(context),
      ...portal(context),
      ...desk(context),
      ...auditor(),
      ...merchantPages(context),
      ...railRecords,
    ];
    const imports = [CqrsModule];
    return { module: InfrastructureModule, global: true, imports, providers, exports: providers };
  }
}

function options({ settings, logger }: ProcessContext): Provider[] {
  return [
    { provide: CheckoutOptions, useFactory: () => new CheckoutOptions(settings.baseUrl) },
    { provide: ApiDocsOptions, useFactory: () => new ApiDocsOptions(settings.baseUrl) },
    {
      provide: V3GateOptions,
      useFactory: () =>
        new V3GateOptions(
          settings.v4GaDate,
          settings.baseUrl,
          settings.rateLimitV3Restricted,
          logger,
        ),
    },
    {
      provide: ApiV4Options,
      useFactory: () =>
        new ApiV4Options(
          settings.rateLimitV4,
          settings.readModelMaxAgeMs,
          settings.credentialMemoryCap,
        ),
    },
  ];
}

function ports(context: ProcessContext): Provider[] {
  return [
    { provide: ReadDatabase, useFactory: () => openReadViews(context) },
    {
      provide: RedisStore,
      useFactory: async () => {
        const { servers, logger, metrics } = context;
        const store = await RedisStore.open({ url: servers.redisUrl, logger });
        observeMemory(metrics, store);
        return store;
      },
    },
    {
      provide: PhoneVault,
      inject: [Database, Keyring],
      useFactory: (database: Database, keyring: Keyring) =>
        SealedPhoneVault.open(database, keyring),
    },
    constructed(MerchantDirectory, CachedMerchantDirectory, [Database]),
    {
      provide: CachedMerchants,
      inject: [Database, Keyring],
      useFactory: (database: Database, keyring: Keyring) =>
        CachedMerchants.open(
          database,
          (ids) => findLinkSecrets(database, keyring, ids),
          context.clock,
        ),
    },
  ];
}

function proofs({ settings, clock }: ProcessContext): Provider {
  return {
    provide: PostingProofs,
    inject: [EventStore, Database],
    useFactory: (store: EventStore, database: Database) =>
      proofsOf({ store, database, clock, timezone: settings.platformTimezone }),
  };
}

/** The portal's options. Live mode refuses an issuer that says that it cannot prove presence (OPS-12). */
export function portalOptions(settings: Settings): PortalOptions {
  const { portalUrl, oidc, platformTimezone, rails, allowUnsafe } = settings;
  const isLive = hasLiveRail(rails);
  return new PortalOptions(portalUrl, oidc, platformTimezone, {
    firstMode: isLive ? 'live' : 'demo',
    refusesWeakIssuer: isLive && !allowUnsafe.includes('weak-presence'),
  });
}

function portal(context: ProcessContext): Provider[] {
  return [
    constructed(PersonSessions, RecordedPersonSessions, [Database]),
    presenceRule(context),
    { provide: PortalOptions, useFactory: () => portalOptions(context.settings) },
    {
      provide: RolesInLog,
      inject: [EventStore],
      useFactory: (store: EventStore) => new RolesInLog(store, () => performance.now()),
    },
    { provide: RoleDirectory, useExisting: RolesInLog },
    { provide: RoleHistory, useExisting: RolesInLog },
    constructed(HolderDirectory, HoldersInLog, [EventStore]),
  ];
}

function payoutPorts(): Provider[] {
  return [
    constructed(PayoutPhones, RecordedPayoutPhones, [Database, Keyring, PhoneVault]),
    constructed(PayoutBatchItems, RecordedPayoutBatchItems, [Database, Keyring]),
    constructed(PostedCredits, ProjectedCredits, [Database]),
    constructed(Reservations, Reservations, [EventStore, PostedCredits, Ids]),
    constructed(PayoutAllowances, RecordedPayoutAllowances, [Database]),
    {
      provide: PayoutTermsDirectory,
      inject: [Database],
      useFactory: (database: Database) => ProjectedPayoutTerms.open(database),
    },
    constructed(PayoutOrders, RecordedPayoutOrders, [Database]),
    constructed(PaidNumbers, ProjectedPaidNumbers, [Database]),
  ];
}

@Module({})
export class AppModule {
  static with(context: ProcessContext): DynamicModule {
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.with(context),
        CollectionsModule,
        CollectionInitiationModule,
        PayoutRequestsModule,
        PayoutReportsModule,
        PeopleModule,
        ApiV4Module,
        ApiV3Module.with(context.settings),
        CheckoutModule,
        ApiDocsModule,
        RailCallbacksModule,
        CorrectionsModule,
        EvidenceModule,
        PayoutReviewsModule,
        ReconciliationModule,
        ReviewsModule,
        SettlementsModule,
        CredentialRevocationModule,
        WebhookEndpointsModule,
        twoAdminsModule(),
        PortalModule.with({ issuer: context.settings.oidc }),
      ],
    };
  }
}
