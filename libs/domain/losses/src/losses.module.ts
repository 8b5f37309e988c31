import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ListLossesHandler } from './list/list-losses.command.js';

/** Listing losses. Needs, from the app: Pipeline. */
@Module({ imports: [CqrsModule], providers: [ListLossesHandler] })
export class LossesModule {}
