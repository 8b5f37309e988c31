import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { UsedReceipts } from '#domain/reviews';
import { EventStore } from '#domain/event-sourcing';
import { ClearedRails } from '#domain/ledger';
import { MerchantDirectory } from '#domain/merchants';
import { ConfirmCorrectionHandler } from './confirm/confirm-correction.command.js';
import { EndCorrectionHandler } from './end/end-correction.command.js';
import { ProposeCorrectionHandler } from './propose/propose-correction.command.js';
import { TermsCheck } from './propose/terms-check.js';
import { CompleteCorrectionHandler } from './complete/complete-correction.command.js';

/** Ends corrections that were not confirmed. Needs, from the app: Pipeline, Reservations. */
@Module({ imports: [CqrsModule], providers: [EndCorrectionHandler] })
export class CorrectionEndModule {}

/**
 * Operators' corrections. Needs, from the app: Pipeline, EventStore, MerchantDirectory, UsedReceipts, ReceiptUse,
 * Reservations, ClearedRails.
 */
@Module({
  imports: [CqrsModule, CorrectionEndModule],
  providers: [
    {
      provide: TermsCheck,
      inject: [EventStore, MerchantDirectory, UsedReceipts, ClearedRails],
      useFactory: (...parts: ConstructorParameters<typeof TermsCheck>) => new TermsCheck(...parts),
    },
    ConfirmCorrectionHandler,
    ProposeCorrectionHandler,
  ],
})
export class CorrectionsModule {}

/** The corrections that the worker finishes and ends. Needs, from the app: Pipeline, Reservations. */
@Module({ imports: [CqrsModule, CorrectionEndModule], providers: [CompleteCorrectionHandler] })
export class CorrectionCompletionModule {}
