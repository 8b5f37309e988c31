import { SealKeySigner } from '#adapters/audit';
import { HeadSigner } from '#domain/audit';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { eventTypes } from '#domain/event-types';
import { certificateRefused, EventStoreDb } from '#infra/eventstoredb';
import { EvidenceErasure } from '#domain/evidence';
import { LossLists, LossRecords } from '#domain/losses';
import { Clock, constructed, Ids } from '#domain/kernel';
import { ClearedRails } from '#domain/ledger';
import { CredentialSecrets, UniqueNames, V3Admission, WebhookSecrets } from '#domain/merchants';
import { PersonSessions } from '#domain/people';
import { RecordedPersonSessions, Sessions } from '#records/people';
import { RecordedWebhookSecrets } from '#records/webhooks';
import { adminsInLog, twoAdminRecords } from '#adapters/wiring';
import { Admins } from '#domain/proposals';
import { Database } from '#infra/postgres';
import { viewSchema } from '#views/view-set';
import { type Logger, type Settings, SystemClock, UuidIds } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { ScheduledAdmission } from '#domain/v3-retirement';
import { type DynamicModule, Module, type OnModuleDestroy, type Provider } from '@nestjs/common';
import { type CliServers } from './servers.js';
import { V3Terms } from './v3/v3-terms.js';

export interface InfrastructureOptions {
  readonly servers: CliServers;
  readonly settings: Settings;
  readonly logger: Logger;
}

/** Closes the connections that the command opened. */
class Connections implements OnModuleDestroy {
  constructor(
    private readonly store: EventStoreDb,
    private readonly database: Database,
  ) {}

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.store.dispose(), this.database.close()]);
  }
}

@Module({})
export class InfrastructureModule {
  static with({ servers, settings, logger }: InfrastructureOptions): DynamicModule {
    return {
      module: InfrastructureModule,
      global: true,
      providers: [
        {
          provide: Database,
          useFactory: () =>
            new Database({
              url: servers.databaseUrl,
              app: 'cli',
              logger,
              searchPath: [viewSchema()],
              clockOffsetMs: settings.clockOffsetMs,
              poolSize: 2,
            }),
        },
        {
          provide: EventStoreDb,
          useFactory: () => openStore(servers, logger),
        },
        { provide: Keyring, useFactory: () => Keyring.from(servers.masterKeys) },
        ...ofLog,
        ...ofSealing(servers),
        constructed(Pipeline, Pipeline, [EventStoreDb, Ids]),
        ...ofRecords(),
        { provide: ClearedRails, useValue: new ClearedRails(Object.keys(settings.rails)) },
        ...ofV3(settings),
        constructed(Connections, Connections, [EventStoreDb, Database]),
      ],
      exports: [
        ClearedRails,
        EvidenceErasure,
        LossLists,
        LossRecords,
        Ids,
        Database,
        EventStoreDb,
        HeadSigner,
        SealKeySigner,
        Keyring,
        Admins,
        EventStore,
        Pipeline,
        PersonSessions,
        Sessions,
        UniqueNames,
        CredentialSecrets,
        WebhookSecrets,
        V3Admission,
        Clock,
        V3Terms,
      ],
    };
  }
}

export function openStore({ eventstoreUrl }: CliServers, logger: Logger): EventStoreDb {
  return new EventStoreDb({
    connectionString: eventstoreUrl,
    eventTypes,
    logger: {
      warn: (details, message) => {
        // A command has no log. Only this line says why the store cannot be reached (OPS-45).
        if ('code' in details && details.code === certificateRefused)
          process.stderr.write(`${message}\n`);
        else logger.warn(details, message);
      },
    },
    onFatal: (error) => {
      throw error;
    },
  });
}

const ofLog: Provider[] = [
  { provide: EventStore, useExisting: EventStoreDb },
  { provide: Ids, useClass: UuidIds },
];

function ofRecords(): Provider[] {
  return [
    constructed(Sessions, Sessions, [Database]),
    constructed(PersonSessions, RecordedPersonSessions, [Database]),
    ...twoAdminRecords,
    adminsInLog,
    constructed(WebhookSecrets, RecordedWebhookSecrets, [Database, Keyring]),
  ];
}

function ofSealing({ sealKey }: CliServers): Provider[] {
  return [
    { provide: SealKeySigner, useFactory: () => SealKeySigner.from(sealKey) },
    { provide: HeadSigner, useExisting: SealKeySigner },
  ];
}

/** Providers that are deleted with V3. */
function ofV3(settings: Settings): Provider[] {
  return [
    { provide: Clock, useValue: new SystemClock(settings.clockOffsetMs) },
    { provide: V3Terms, useValue: new V3Terms(settings) },
    {
      provide: V3Admission,
      inject: [EventStore, Clock],
      useFactory: (store: EventStore, clock: Clock) =>
        new ScheduledAdmission(store, clock, settings.v4GaDate),
    },
  ];
}
