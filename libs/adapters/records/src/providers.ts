import { SealedMessages } from '#domain/evidence';
import { Clock } from '#domain/kernel';
import {
  ClaimedReferences,
  Inbox,
  PayoutQueries,
  QuerySchedule,
  RailWorkOptions,
  TakenDays,
  UnopenedCallbacks,
} from '#edges/rails';
import { WebhookSecrets } from '#domain/merchants';
import { V3Usage } from '#edges/v3-gate';
import { DeliveryQueue, EndpointSecrets } from '#edges/webhooks';
import { Database } from '#infra/postgres';
import { Keyring } from '#shared/signing';
import { type Provider } from '@nestjs/common';
import { RecordedClaimedReferences } from './rail/claimed-references.js';
import { RecordedSealedMessages } from './evidence/sealed-messages.js';
import { RecordedInbox } from './rail/inbox.js';
import { RecordedPayoutQueries } from './rail/payout-queries.js';
import { RecordedQuerySchedule } from './rail/query-schedule.js';
import { RecordedTakenDays } from './rail/taken-days.js';
import { RecordedUnopenedCallbacks } from './rail/unopened-callbacks.js';
import { RecordedV3Usage } from './v3-usage.js';
import { RecordedDeliveryQueue } from './webhook-deliveries.js';
import { RecordedEndpointSecrets, RecordedWebhookSecrets } from './webhook-secrets.js';

/** Answers v3-gate's port. Needs Database. */
export const v3Records: readonly Provider[] = [onDatabase(V3Usage, RecordedV3Usage)];

/** Where what is said to edges is kept, and the ports of rails that callbacks and the worker share. Needs Database and Clock. */
export const railRecords: readonly Provider[] = [
  onDatabase(SealedMessages, RecordedSealedMessages),
  onDatabase(ClaimedReferences, RecordedClaimedReferences),
  onDatabase(Inbox, RecordedInbox),
  {
    provide: UnopenedCallbacks,
    inject: [Database, Clock],
    useFactory: (database: Database, clock: Clock) =>
      new RecordedUnopenedCallbacks(database, clock),
  },
];

/** Answers the ports of the worker's steps as well. Needs RailWorkOptions besides. */
export const railWorkRecords: readonly Provider[] = [
  ...railRecords,
  onDatabase(TakenDays, RecordedTakenDays),
  {
    provide: QuerySchedule,
    inject: [Database, RailWorkOptions],
    useFactory: (database: Database, options: RailWorkOptions) =>
      new RecordedQuerySchedule(database, options),
  },
  {
    provide: PayoutQueries,
    inject: [Database, RailWorkOptions],
    useFactory: (database: Database, options: RailWorkOptions) =>
      new RecordedPayoutQueries(database, options),
  },
];

/** Answers the ports of who sends webhooks. Needs Database and Keyring. */
export const webhookRecords: readonly Provider[] = [
  onDatabase(DeliveryQueue, RecordedDeliveryQueue),
  onKeyring(EndpointSecrets, RecordedEndpointSecrets),
  onKeyring(WebhookSecrets, RecordedWebhookSecrets),
];

function onDatabase<Port>(
  provide: abstract new () => Port,
  Recorded: new (database: Database) => Port,
): Provider {
  return {
    provide,
    inject: [Database],
    useFactory: (database: Database) => new Recorded(database),
  };
}

function onKeyring<Port>(
  provide: abstract new () => Port,
  Recorded: new (database: Database, keyring: Keyring) => Port,
): Provider {
  return {
    provide,
    inject: [Database, Keyring],
    useFactory: (database: Database, keyring: Keyring) => new Recorded(database, keyring),
  };
}
