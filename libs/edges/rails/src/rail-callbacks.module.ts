import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import {
  CallbackKeys,
  CallbackRecords,
  CollectionsClient,
  DirectConfirmations,
  ReportMetrics,
} from '#edges/rails';
import { CallbackController } from './callback/callback.controller.js';
import { CallbackReceiver } from './callback/callback-receiver.js';
import { UnknownKeyCallbacks } from './callback/unknown-key-callbacks.js';

/**
 * `POST /rails/<token>`. Needs, from the app's infrastructure: Keyring, Ids, Clock, Timer, Metrics, RailAddresses,
 * ClaimedCheckouts, Inbox, RailMessages, UnopenedCallbacks, and a handler for ConfirmCollection.
 */
@Module({
  imports: [CqrsModule],
  controllers: [CallbackController],
  providers: [
    CallbackKeys,
    CallbackReceiver,
    CallbackRecords,
    CollectionsClient,
    DirectConfirmations,
    ReportMetrics,
    UnknownKeyCallbacks,
  ],
})
export class RailCallbacksModule {}
