import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SealDayHandler } from './seal/seal-day.command.js';

/** Needs, from the app's infrastructure: Pipeline, HeadSigner. */
@Module({ imports: [CqrsModule], providers: [SealDayHandler] })
export class SealingModule {}
