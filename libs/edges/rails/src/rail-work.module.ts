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
} from '#edges/rails';
import { InboxStep } from './inbox/inbox-step.js';
import { OpenedCallbacks } from './inbox/opened-callbacks.js';
import { UnopenedStep } from './inbox/unopened-step.js';

/**
 * The worker's steps: InboxStep, UnopenedStep, QueryStep and TimeoutStep. Needs, from the app's infrastructure: Rail, Keyring,
 * Ids, Clock, Timer, Metrics, Database (views included), EventStore, RailWorkOptions, QuerySchedule, what
 * RailCallbacksModule needs of the records, and handlers for ConfirmCollection, FlagCollection and FindCollection.
 */
@Module({
  imports: [CqrsModule],
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
