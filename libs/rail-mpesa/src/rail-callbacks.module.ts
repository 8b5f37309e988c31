import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CallbackController } from './callback/callback.controller.js';
import { CallbackKeys } from './callback/callback-keys.js';
import { CallbackReceiver } from './callback/callback-receiver.js';
import { CallbackRecords } from './callback/callback-records.js';

/**
 * `POST /rails/<token>`. Needs, from the app's infrastructure: Keyring, Ids, Metrics, RailAddresses,
 * RailMessages, CallbackInbox, and a handler for ConfirmCollection.
 */
@Module({
  imports: [CqrsModule],
  controllers: [CallbackController],
  providers: [CallbackKeys, CallbackReceiver, CallbackRecords],
})
export class RailCallbacksModule {}
