import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ConfirmReviewHandler } from './confirm-review.command.js';
import { OpenReviewHandler } from './open-review.command.js';
import { ResolveReviewHandler } from './resolve-review.command.js';

/** Operators' decisions. Needs, from the app: Pipeline, ReviewProposals, UsedReceipts, ReceiptUse, MerchantDirectory. */
@Module({
  imports: [CqrsModule],
  providers: [ConfirmReviewHandler, OpenReviewHandler, ResolveReviewHandler],
})
export class ReviewsModule {}
