import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import {
  Backoff,
  CallbackKeys,
  CheckoutClaims,
  CollectionsClient,
  FinalQuery,
  FinalStatusCheck,
  LeasedEntries,
  OverdueCollections,
  QueriedAnswers,
  QuerySchedule,
  QueryStep,
  QueryThrottle,
  RailQuestions,
  RailReferences,
  ReferenceView,
  ReportMetrics,
  TimeoutStep,
  UnverifiedCallbacks,
  ProjectedOverdueCollections,
  ProjectedReferenceView,
  RailRecordsModule,
  RecordedQuerySchedule,
} from '#edges/rails';
import { InboxStep } from './inbox/inbox-step.js';
import { OpenedCallbacks } from './inbox/opened-callbacks.js';
import { UnopenedStep } from './inbox/unopened-step.js';

/**
 * The worker's steps: InboxStep, UnopenedStep, QueryStep and SilenceStep. Needs, from the app's infrastructure: Rail, Keyring, Ids,
 * Clock, Timer, Metrics, Database (views included), EventStore, RailWorkOptions, and handlers for
 * ConfirmCollection, FlagCollection and FindCollection.
 */
@Module({
  imports: [CqrsModule, RailRecordsModule],
  providers: [
    Backoff,
    CallbackKeys,
    CheckoutClaims,
    CollectionsClient,
    UnverifiedCallbacks,
    LeasedEntries,
    InboxStep,
    FinalStatusCheck,
    FinalQuery,
    OpenedCallbacks,
    QueriedAnswers,
    { provide: QuerySchedule, useClass: RecordedQuerySchedule },
    QueryThrottle,
    QueryStep,
    RailQuestions,
    RailReferences,
    ReportMetrics,
    TimeoutStep,
    { provide: OverdueCollections, useClass: ProjectedOverdueCollections },
    { provide: ReferenceView, useClass: ProjectedReferenceView },
    UnopenedStep,
  ],
  exports: [InboxStep, QueryStep, TimeoutStep, UnopenedStep],
})
export class RailWorkModule {}
