import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { RecordDrillHandler } from './record/record-drill.command.js';

/** Needs, from the app's infrastructure: Pipeline. */
@Module({ imports: [CqrsModule], providers: [RecordDrillHandler] })
export class DrillsModule {}
