import { Logger, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Pipeline } from '#domain/event-sourcing';
import { Timer } from '#domain/kernel';
import { InitiateCollectionHandler } from './initiate/initiate-collection.command.js';
import { PushAnswers } from './record-push-outcome/push-answers.js';

const log = new Logger('collections');

/** How collections begin. Needs, from the app's infrastructure: Pipeline, Timer, Rail, PhoneVault. */
@Module({
  imports: [CqrsModule],
  providers: [
    InitiateCollectionHandler,
    {
      provide: PushAnswers,
      inject: [Pipeline, Timer],
      useFactory: (pipeline: Pipeline, timer: Timer) =>
        new PushAnswers({
          pipeline,
          timer,
          onLost: (stream, error) => {
            log.error({
              msg: 'what became of a push could not be recorded',
              stream,
              err: error,
            });
          },
        }),
    },
  ],
  exports: [PushAnswers],
})
export class CollectionInitiationModule {}
