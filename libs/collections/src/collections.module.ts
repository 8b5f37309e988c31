import { Logger, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Pipeline } from '#event-sourcing';
import { ConfirmCollectionHandler } from './confirm/confirm-collection.handler.js';
import { FindCollectionHandler } from './find/find-collection.query.js';
import { InitiateCollectionHandler } from './initiate/initiate-collection.handler.js';
import { PushAnswers } from './record-push-outcome/push-answers.js';

const log = new Logger('collections');

/** Needs, from the app's infrastructure: Pipeline, EventStore; Rail and PhoneVault where it initiates. */
@Module({
  imports: [CqrsModule],
  providers: [
    ConfirmCollectionHandler,
    FindCollectionHandler,
    InitiateCollectionHandler,
    {
      provide: PushAnswers,
      inject: [Pipeline],
      useFactory: (pipeline: Pipeline) =>
        new PushAnswers(pipeline, (stream, error) => {
          log.error({ msg: 'a late answer to a push could not be recorded', stream, err: error });
        }),
    },
  ],
  exports: [PushAnswers],
})
export class CollectionsModule {}
