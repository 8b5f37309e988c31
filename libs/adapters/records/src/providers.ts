import { ReceiptClaims, ReceiptUse, ReviewProposals, UsedReceipts } from '#domain/reviews';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { EvidenceErasure, SealedMessages } from '#domain/evidence';
import { Clock, Timer } from '#domain/kernel';
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
import { PendingForms, PersonNames, Sessions } from '#edges/portal';
import { NoticeBook } from '#edges/notices';
import { V3Usage } from '#edges/v3-gate';
import { DeliveryQueue, EndpointSecrets } from '#edges/webhooks';
import { PersonSessions, RoleProposals } from '#domain/people';
import { Proposals } from '#domain/proposals';
import { Database } from '#infra/postgres';
import { Keyring } from '#shared/signing';
import { BatchCases, CaseRecords, Cases, PlatformRecords, SearchSources } from '#desk/operators';
import { ReceiptsInViews } from '#views/reviews';
import { type Provider } from '@nestjs/common';
import { RecordedCaseRecords, RecordedPlatformRecords } from './case-files.js';
import { knownAs } from './rail/known-as.js';
import { RecordedClaimedReferences } from './rail/claimed-references.js';
import { RecordedEvidenceErasure } from './evidence/evidence-erasure.js';
import { RecordedSealedMessages } from './evidence/sealed-messages.js';
import { RecordedExtraQueries } from './rail/extra-queries.js';
import { RecordedInbox } from './rail/inbox.js';
import { RecordedPayoutQueries } from './rail/payout-queries.js';
import { RecordedQuerySchedule } from './rail/query-schedule.js';
import {
  RecordedPendingForms,
  RecordedPersonNames,
  RecordedPersonSessions,
  RecordedSessions,
} from './portal-sessions.js';
import { RecordedCredentialSecrets } from './credential-secrets.js';
import { RecordedUniqueNames } from './unique-names.js';
import { RecordedTakenDays } from './rail/taken-days.js';
import { RecordedNotices } from './notices.js';
import { RecordedProposals } from './proposals.js';
import { RecordedReceiptClaims } from './receipt-claims.js';
import { RecordedReviewProposals } from './review-proposals.js';
import { RecordedUnopenedCallbacks } from './rail/unopened-callbacks.js';
import { RecordedRoleProposals } from './role-proposals.js';
import { RecordedV3Usage } from './v3-usage.js';
import { RecordedDeliveryQueue } from './webhooks/delivery-queue.js';
import { RecordedEndpointSecrets, RecordedWebhookSecrets } from './webhooks/webhook-secrets.js';

/**
 * Providers for looking into a collection or payout and deciding on it, in any process. Needs Database, EventStore,
 * Pipeline, Clock, Timer and Keyring.
 */
export const deskRecords: readonly Provider[] = [
  onDatabase(CaseRecords, RecordedCaseRecords),
  onDatabase(PlatformRecords, RecordedPlatformRecords),
  onDatabase(ReviewProposals, RecordedReviewProposals),
  onDatabase(Proposals, RecordedProposals),
  onDatabase(ReceiptClaims, RecordedReceiptClaims),
  {
    provide: UsedReceipts,
    inject: [EventStore, Database, Timer],
    useFactory: (store: EventStore, database: Database, timer: Timer) =>
      new ReceiptsInViews(store, database, timer),
  },
  {
    provide: ReceiptUse,
    inject: [EventStore, ReceiptClaims, UsedReceipts],
    useFactory: (store: EventStore, claims: ReceiptClaims, receipts: UsedReceipts) =>
      new ReceiptUse(store, claims, receipts),
  },
  {
    provide: SearchSources,
    inject: [EventStore, Database, Clock, Keyring],
    useFactory: (store: EventStore, database: Database, clock: Clock, keyring: Keyring) =>
      new SearchSources(store, database, clock, knownAs(database, keyring)),
  },
  {
    provide: Cases,
    inject: [SearchSources, Pipeline, CaseRecords],
    useFactory: (sources: SearchSources, pipeline: Pipeline, records: CaseRecords) =>
      new Cases(sources, pipeline, records),
  },
  {
    provide: BatchCases,
    inject: [Pipeline, Database],
    useFactory: (pipeline: Pipeline, database: Database) => new BatchCases(pipeline, database),
  },
];

/** Providers for changes that need two admins: they store names and secrets, and drop keys. Needs Database and Keyring. */
export const twoAdminRecords: readonly Provider[] = [
  onDatabase(EvidenceErasure, RecordedEvidenceErasure),
  onDatabase(UniqueNames, RecordedUniqueNames),
  onKeyring(CredentialSecrets, RecordedCredentialSecrets),
];

/** Implements the portal's ports. Needs Database and Keyring. */
export const portalRecords: readonly Provider[] = [
  onDatabase(Sessions, RecordedSessions),
  onDatabase(PersonNames, RecordedPersonNames),
  onDatabase(PersonSessions, RecordedPersonSessions),
  onKeyring(PendingForms, RecordedPendingForms),
  onDatabase(RoleProposals, RecordedRoleProposals),
];

/** Providers for notices about what waits for two people. Needs Database. */
export const noticeRecords: readonly Provider[] = [
  onDatabase(CaseRecords, RecordedCaseRecords),
  onDatabase(NoticeBook, RecordedNotices),
  onDatabase(Proposals, RecordedProposals),
  onDatabase(RoleProposals, RecordedRoleProposals),
];

/** Implements v3-gate's port. Needs Database. */
export const v3Records: readonly Provider[] = [onDatabase(V3Usage, RecordedV3Usage)];

/**
 * Stores messages to the edges, and implements the ports of rails that callbacks and the worker share. Needs Database
 * and Clock.
 */
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

/** Implements the ports of the worker's steps as well. Also needs RailWorkOptions. */
export const railWorkRecords: readonly Provider[] = [
  ...railRecords,
  onDatabase(TakenDays, RecordedTakenDays),
  onDatabase(ExtraQueries, RecordedExtraQueries),
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

/** Implements the ports of the webhook sender. Needs Database and Keyring. */
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
