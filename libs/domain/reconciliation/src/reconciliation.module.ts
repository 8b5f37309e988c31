import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { RecordReconciliationHandler } from './record/record-reconciliation.command.js';

/** Needs, from the app's infrastructure: Pipeline. */
@Module({ imports: [CqrsModule], providers: [RecordReconciliationHandler] })
export class ReconciliationModule {}
