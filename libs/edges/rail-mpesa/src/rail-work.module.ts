import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Backoff } from './backoff.js';
import { CallbackKeys } from './callback/callback-keys.js';
import { CollectionBus } from './collection-bus.js';
import { CheckoutClaims } from './inbox/checkout-claims.js';
import { DoubtfulCallbacks } from './inbox/doubtful-callbacks.js';
import { HeldEntries } from './inbox/held-entries.js';
import { InboxStep } from './inbox/inbox-step.js';
import { OpenedCallbacks } from './inbox/opened-callbacks.js';
import { ProjectedReferenceView } from './inbox/projected-reference-view.js';
import { RailReferences } from './inbox/rail-references.js';
import { ReferenceView } from './inbox/reference-view.js';
import { UnopenedStep } from './inbox/unopened-step.js';
import { QueriedAnswers } from './query/queried-answers.js';
import { QueryPace } from './query/query-pace.js';
import { QuerySchedule } from './query/query-schedule.js';
import { QueryStep } from './query/query-step.js';
import { RailQuestions } from './query/rail-questions.js';
import { RecordedQuerySchedule } from './query/recorded-query-schedule.js';
import { LastLook } from './silence/last-look.js';
import { LastQuestion } from './silence/last-question.js';
import { ProjectedSilentCollections } from './silence/projected-silent-collections.js';
import { SilenceStep } from './silence/silence-step.js';
import { SilentCollections } from './silence/silent-collections.js';
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
    CollectionBus,
    DoubtfulCallbacks,
    HeldEntries,
    InboxStep,
    LastLook,
    LastQuestion,
    OpenedCallbacks,
    QueriedAnswers,
    { provide: QuerySchedule, useClass: RecordedQuerySchedule },
    QueryPace,
    QueryStep,
    RailQuestions,
    RailReferences,
    ReportMetrics,
    SilenceStep,
    { provide: SilentCollections, useClass: ProjectedSilentCollections },
    { provide: ReferenceView, useClass: ProjectedReferenceView },
    UnopenedStep,
  ],
  exports: [InboxStep, QueryStep, SilenceStep, UnopenedStep],
})
export class RailWorkModule {}
