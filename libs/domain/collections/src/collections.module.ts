import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ConfirmCollectionHandler } from './confirm/confirm-collection.command.js';
import { FlagCollectionHandler } from './query-rail/flag-collection.command.js';
import { FindCollectionHandler } from './find/find-collection.query.js';

/** What becomes of collections. Needs, from the app's infrastructure: Pipeline. */
@Module({
  imports: [CqrsModule],
  providers: [ConfirmCollectionHandler, FindCollectionHandler, FlagCollectionHandler],
})
export class CollectionsModule {}
