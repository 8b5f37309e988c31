import { OpenedMessages, readHeads } from '#adapters/audit';
import { EventStore } from '#domain/event-sourcing';
import { RetainedMessages, SealedDays } from '#edges/portal';
import { Database } from '#infra/postgres';
import { Keyring } from '#shared/signing';
import { type Provider } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';

/** Providers of the auditors' pages, in addition to the API's own. */
export function auditor(): Provider[] {
  return [
    {
      provide: SealedDays,
      inject: [EventStore],
      useFactory: (store: EventStore): SealedDays => ({ heads: () => readHeads(store) }),
    },
    {
      provide: RetainedMessages,
      inject: [Database, EventStore, CommandBus, Keyring],
      useFactory: (database: Database, store: EventStore, bus: CommandBus, keyring: Keyring) =>
        new OpenedMessages({ database, store, bus, keyring }),
    },
  ];
}
