import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CompleteCorrectionHandler } from './complete/complete-correction.command.js';

/** What the worker finishes. Needs, from the app: Pipeline, Reservations. */
@Module({ imports: [CqrsModule], providers: [CompleteCorrectionHandler] })
export class CorrectionCompletionModule {}
