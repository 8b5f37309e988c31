import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Backoff } from './backoff.js';
import { CallbackKeys } from './callback/callback-keys.js';
import { CollectionsClient } from './collections-client.js';
import { CheckoutClaims } from './inbox/checkout-claims.js';
import { UnverifiedCallbacks } from './inbox/unverified-callbacks.js';
import { LeasedEntries } from './inbox/leased-entries.js';
import { InboxStep } from './inbox/inbox-step.js';
import { OpenedCallbacks } from './inbox/opened-callbacks.js';
import { ProjectedReferenceView } from './inbox/projected-reference-view.js';
import { RailReferences } from './inbox/rail-references.js';
import { ReferenceView } from './inbox/reference-view.js';
import { UnopenedStep } from './inbox/unopened-step.js';
import { QueriedAnswers } from './query/queried-answers.js';
import { QueryThrottle } from './query/query-throttle.js';
import { QuerySchedule } from './query/query-schedule.js';
import { QueryStep } from './query/query-step.js';
import { RailQuestions } from './query/rail-questions.js';
import { RecordedQuerySchedule } from './query/recorded-query-schedule.js';
import { FinalStatusCheck } from './timeouts/final-status-check.js';
import { FinalQuery } from './timeouts/final-query.js';
import { ProjectedOverdueCollections } from './timeouts/projected-overdue-collections.js';
import { TimeoutStep } from './timeouts/timeout-step.js';
import { OverdueCollections } from './timeouts/overdue-collections.js';
import { ReportMetrics } from './report-metrics.js';
import { RailRecordsModule } from './rail-records.module.js';

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
