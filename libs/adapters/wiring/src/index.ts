import { checkMasterKey, DataKeys, openSubscriberSeal } from '#records/keys';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { Clock, constructed, Ids, Timer } from '#domain/kernel';
import { StatementReaders } from '#domain/reconciliation';
import { airtel, AirtelStatements } from '#edges/rail-airtel';
import { mpesa, MpesaStatements } from '#edges/rail-mpesa';
import { railProviders } from '#edges/rails';
import { EventStoreDb, openEventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { Metrics, type ProcessContext, type Settings } from '#infra/runtime';
import { Keyring, SubscriberSeal } from '#shared/signing';
import { openViews } from '#views/view-set';
import { type Provider } from '@nestjs/common';

export { deskRecords, receiptUse } from './desk.js';
export { adminsInLog, twoAdminRecords, twoAdminsModule } from './two-admins.js';
export { watchBalances } from './watch-balances.js';
export { watchBreakGlass } from './watch-break-glass.js';
export { watchDrills } from './watch-drills.js';
export { watchEnds } from './watch-ends.js';
export { watchPlatform } from './watch-platform.js';
export { watchWaiting } from './watch-waiting.js';

/** The rails, one line each. */
const rails = [mpesa, airtel] as const;

/** Readers of the rails' statements. */
export function statementReaders({ rails: { mpesa: ofMpesa } }: Settings): StatementReaders {
  return new StatementReaders([new MpesaStatements(ofMpesa), new AirtelStatements()]);
}

export interface ServiceOptions {
  /** True if this process makes callback URLs. The key of a URL must stay for as long as the rail may call it. */
  readonly makesCallbackUrls: boolean;
}

/** Bindings that the API and the worker share. Needs RedisStore; records and views exist when it starts. */
export function serviceProviders(context: ProcessContext, options: ServiceOptions): Provider[] {
  return [...ofProcess(context), ...ofStorage(context, options), ...railProviders(rails, context)];
}

function ofProcess({ servers, metrics, clock, timer, ids }: ProcessContext): Provider[] {
  return [
    { provide: Clock, useValue: clock },
    { provide: Timer, useValue: timer },
    { provide: Ids, useValue: ids },
    { provide: Metrics, useValue: metrics },
    { provide: Keyring, useFactory: () => Keyring.from(servers.masterKeys) },
  ];
}

function ofStorage(context: ProcessContext, { makesCallbackUrls }: ServiceOptions): Provider[] {
  const { logger, metrics } = context;
  return [
    {
      provide: Database,
      inject: [Keyring],
      useFactory: async (keyring: Keyring) => {
        const database = await openViews(context);
        await checkMasterKey(database, keyring);
        return database;
      },
    },
    {
      provide: DataKeys,
      inject: [Database, Keyring],
      useFactory: (database: Database, keyring: Keyring) =>
        DataKeys.open({ database, keyring, logger, metrics, makesCallbackUrls }),
    },
    {
      provide: SubscriberSeal,
      inject: [Database, Keyring],
      useFactory: openSubscriberSeal,
    },
    { provide: EventStoreDb, useFactory: () => openEventStoreDb(context) },
    { provide: EventStore, useExisting: EventStoreDb },
    constructed(Pipeline, Pipeline, [EventStore, Ids]),
  ];
}
