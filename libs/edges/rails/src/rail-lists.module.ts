import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CallbackKeys } from './callback/callback-keys.js';
import { CollectionsClient } from './collections-client.js';
import { RailReferenceClaims } from './inbox/rail-reference-claims.js';
import { ProjectedReferenceView, RailReferences, ReferenceView } from './inbox/rail-references.js';
import {
  Bearers,
  FoundCollections,
  ProjectedBearers,
  TakenPayments,
  TakenRecorders,
} from './payment-lists/taken-payments.js';
import { TakenSweeps } from './payment-lists/taken-sweeps.js';
import { TakenWindow } from './payment-lists/taken-window.js';
import { NamedAccounts } from './notices/named-accounts.js';
import { UnaskedPayments } from './notices/unasked-payments.js';
import { NamedPushes } from './shared-address/named-pushes.js';
import { QueriedAnswers } from './query/queried-answers.js';
import { QueryThrottle } from './query/query-throttle.js';
import { RailQuestions } from './query/rail-questions.js';
import { Backoff } from './rail-work-options.js';
import { ReportMetrics } from './report-metrics.js';

const shared = [
  Backoff,
  CallbackKeys,
  CollectionsClient,
  NamedAccounts,
  NamedPushes,
  QueriedAnswers,
  QueryThrottle,
  RailQuestions,
  RailReferenceClaims,
  RailReferences,
  ReportMetrics,
  TakenPayments,
  TakenSweeps,
  TakenWindow,
  UnaskedPayments,
];

/**
 * Compares the payments that a rail lists with the ledger, and asks about a push. Needs, from the app's infrastructure:
 * Rail, RailTable, Keyring, Ids, Clock, Timer, Metrics, Database (views included), EventStore, RailWorkOptions,
 * PaymentListRails, TakenDays, SealedMessages, ClaimedReferences, AccountNumbers, and handlers for ConfirmCollection,
 * FlagCollection, FindCollection, ReceivePayment, RecordListedReceipt and PostBankSettlement.
 */
@Module({
  imports: [CqrsModule],
  providers: [
    ...shared,
    FoundCollections,
    TakenRecorders,
    { provide: Bearers, useClass: ProjectedBearers },
    { provide: ReferenceView, useClass: ProjectedReferenceView },
  ],
  exports: shared,
})
export class RailListsModule {}
