import { RecordedCredentialSecrets, RecordedUniqueNames } from '#records/credentials';
import { ReceiptClaims, ReceiptUse, ReviewProposals, UsedReceipts } from '#domain/reviews';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { EvidenceErasure, SealedMessages } from '#domain/evidence';
import { Clock, constructed, Timer } from '#domain/kernel';
import {
  ClaimedReferences,
  ExtraQueries,
  Inbox,
  PayoutQueries,
  QuerySchedule,
  RailWorkOptions,
  TakenDays,
  UnopenedCallbacks,
} from '#edges/rails';
import { CredentialSecrets, UniqueNames, WebhookSecrets } from '#domain/merchants';
import { RecordedProposals } from '#records/people';
import { NoticeBook } from '#edges/notices';
import { V3Usage } from '#edges/v3-gate';
import { DeliveryQueue, EndpointSecrets } from '#edges/webhooks';
import { Proposals } from '#domain/proposals';
import { Database } from '#infra/postgres';
import { Keyring } from '#shared/signing';
import { BatchCases, Cases, SearchSources } from '#desk/operators';
import { ReceiptsInViews } from '#views/reviews';
import { type Provider } from '@nestjs/common';
import { RecordedNotices } from '#records/operations';
import { knownAs } from './known-as.js';
import { RecordedClaimedReferences } from './claimed-references.js';
import { RecordedEvidenceErasure, RecordedSealedMessages } from '#records/evidence';
import { RecordedExtraQueries } from './extra-queries.js';
import { RecordedInbox } from './inbox.js';
import { RecordedPayoutQueries } from './payout-queries.js';
import { RecordedQuerySchedule } from './query-schedule.js';
import { RecordedTakenDays } from './taken-days.js';
import { RecordedReceiptClaims, RecordedReviewProposals } from '#records/reviews';
import { RecordedUnopenedCallbacks } from '#records/rails';
import { RecordedV3Usage } from '#records/v3-usage';
import {
  RecordedDeliveryQueue,
  RecordedEndpointSecrets,
  RecordedWebhookSecrets,
} from '#records/webhooks';

/**
 * Providers for looking into a collection or payout and deciding on it, in any process. Needs Database, EventStore,
 * Pipeline, Clock, Timer and Keyring.
 */
export const deskRecords: readonly Provider[] = [
  constructed(ReviewProposals, RecordedReviewProposals, [Database]),
  constructed(Proposals, RecordedProposals, [Database]),
  constructed(ReceiptClaims, RecordedReceiptClaims, [Database]),
  constructed(UsedReceipts, ReceiptsInViews, [EventStore, Database, Timer]),
  constructed(ReceiptUse, ReceiptUse, [EventStore, ReceiptClaims, UsedReceipts]),
  {
    provide: SearchSources,
    inject: [EventStore, Database, Clock, Keyring],
    useFactory: (store: EventStore, database: Database, clock: Clock, keyring: Keyring) =>
      new SearchSources(store, database, clock, knownAs(database, keyring)),
  },
  constructed(Cases, Cases, [SearchSources, Pipeline]),
  constructed(BatchCases, BatchCases, [Pipeline, Database]),
];

/** Providers for changes that need two admins: they store names and secrets, and drop keys. Needs Database and Keyring. */
export const twoAdminRecords: readonly Provider[] = [
  constructed(EvidenceErasure, RecordedEvidenceErasure, [Database]),
  constructed(UniqueNames, RecordedUniqueNames, [Database]),
  constructed(CredentialSecrets, RecordedCredentialSecrets, [Database, Keyring]),
];

/** Providers for notices about what waits for two people. Needs Database. */
export const noticeRecords: readonly Provider[] = [
  constructed(NoticeBook, RecordedNotices, [Database]),
  constructed(Proposals, RecordedProposals, [Database]),
];

/** Implements v3-gate's port. Needs Database. */
export const v3Records: readonly Provider[] = [constructed(V3Usage, RecordedV3Usage, [Database])];

/**
 * Stores messages to the edges, and implements the ports of rails that callbacks and the worker share. Needs Database
 * and Clock.
 */
export const railRecords: readonly Provider[] = [
  constructed(SealedMessages, RecordedSealedMessages, [Database]),
  constructed(ClaimedReferences, RecordedClaimedReferences, [Database]),
  constructed(Inbox, RecordedInbox, [Database]),
  constructed(UnopenedCallbacks, RecordedUnopenedCallbacks, [Database, Clock]),
];

/** Implements the ports of the worker's steps as well. Also needs RailWorkOptions. */
export const railWorkRecords: readonly Provider[] = [
  ...railRecords,
  constructed(TakenDays, RecordedTakenDays, [Database]),
  constructed(ExtraQueries, RecordedExtraQueries, [Database]),
  constructed(QuerySchedule, RecordedQuerySchedule, [Database, RailWorkOptions]),
  constructed(PayoutQueries, RecordedPayoutQueries, [Database, RailWorkOptions]),
];

/** Implements the ports of the webhook sender. Needs Database and Keyring. */
export const webhookRecords: readonly Provider[] = [
  constructed(DeliveryQueue, RecordedDeliveryQueue, [Database]),
  constructed(EndpointSecrets, RecordedEndpointSecrets, [Database, Keyring]),
  constructed(WebhookSecrets, RecordedWebhookSecrets, [Database, Keyring]),
];
