import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { NoteDifferencesHandler } from './record/note-differences.command.js';
import { RecordReconciliationHandler } from './record/record-reconciliation.command.js';

/** Needs, from the app's infrastructure: Pipeline. */
@Module({ imports: [CqrsModule], providers: [RecordReconciliationHandler, NoteDifferencesHandler] })
export class ReconciliationModule {}
