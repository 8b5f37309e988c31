import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CallbackKeys } from './callback/callback-keys.js';
import { CollectionBus } from './collection-bus.js';
import { CheckoutClaims } from './inbox/checkout-claims.js';
import { DoubtfulCallbacks } from './inbox/doubtful-callbacks.js';
import { InboxStep } from './inbox/inbox-step.js';
import { RailReferences } from './inbox/rail-references.js';
import { QueriedAnswers } from './query/queried-answers.js';
import { RailQuestions } from './query/rail-questions.js';
import { QueryStep } from './query/query-step.js';

/**
 * The worker's steps: InboxStep and QueryStep. Needs, from the app's infrastructure: Rail, Keyring, Ids,
 * Clock, Database (views included), EventStore, RailWorkOptions, and handlers for ConfirmCollection and
 * FindCollection.
 */
@Module({
  imports: [CqrsModule],
  providers: [
    CallbackKeys,
    CheckoutClaims,
    CollectionBus,
    DoubtfulCallbacks,
    InboxStep,
    QueriedAnswers,
    RailQuestions,
    QueryStep,
    RailReferences,
  ],
  exports: [InboxStep, QueryStep],
})
export class RailWorkModule {}
