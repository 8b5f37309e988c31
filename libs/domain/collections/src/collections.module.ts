import { Logger, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Pipeline } from '#domain/event-sourcing';
import { Clock, constructed, Timer } from '#domain/kernel';
import { InitiateCollectionHandler } from './initiate/initiate-collection.command.js';
import { PromptPushes } from './initiate/prompt-pushes.js';
import { PushAnswers } from './initiate/push-answers.js';
import { ConfirmCollectionHandler } from './confirm/confirm-collection.command.js';
import { RecordListedReceiptHandler } from './confirm/listed-receipt.command.js';
import { ExpectPaymentHandler, ReceiveExpectedHandler } from './expect/expect-payment.command.js';
import { ReceivePaymentHandler } from './receive/receive-payment.command.js';
import { FlagCollectionHandler } from './query-rail/flag-collection.command.js';
import { FindCollectionHandler } from './find/find-collection.query.js';
import { ConfirmReviewHandler } from './review/confirm-review.command.js';
import { DeclineReviewHandler } from './review/decline-review.command.js';
import { OpenReviewHandler } from './review/open-review.command.js';
import { ResolveReviewHandler } from './review/resolve-review.command.js';
import { Rail } from '#domain/rails';

const log = new Logger('collections');

/** Starts collections. Needs, from the app's infrastructure: Pipeline, Clock, Timer, Rail, PhoneVault. */
@Module({
  imports: [CqrsModule],
  providers: [
    ExpectPaymentHandler,
    InitiateCollectionHandler,
    constructed(PromptPushes, PromptPushes, [Rail, Clock]),
    {
      provide: PushAnswers,
      inject: [Pipeline, Timer],
      useFactory: (pipeline: Pipeline, timer: Timer) =>
        new PushAnswers({
          pipeline,
          timer,
          onLost: (stream, error) => {
            log.error({
              msg: 'the outcome of a push could not be recorded',
              stream,
              err: error,
            });
          },
        }),
    },
  ],
  exports: [PushAnswers],
})
export class CollectionInitiationModule {}

/** Applies later reports to collections. Needs, from the app's infrastructure: Pipeline. */
@Module({
  imports: [CqrsModule],
  providers: [
    ConfirmCollectionHandler,
    FindCollectionHandler,
    FlagCollectionHandler,
    ReceiveExpectedHandler,
    ReceivePaymentHandler,
    RecordListedReceiptHandler,
  ],
})
export class CollectionsModule {}

/** Operators' decisions. Needs, from the app: Pipeline, ReviewProposals, UsedReceipts, ReceiptUse, MerchantDirectory. */
@Module({
  imports: [CqrsModule],
  providers: [ConfirmReviewHandler, DeclineReviewHandler, OpenReviewHandler, ResolveReviewHandler],
})
export class ReviewsModule {}
