import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CallbackController } from './callback/callback.controller.js';
import { CallbackKeys } from './callback/callback-keys.js';
import { CallbackReceiver } from './callback/callback-receiver.js';
import { CallbackRecords } from './callback/callback-records.js';
import { DirectConfirmations } from './callback/direct-confirmations.js';
import { UnknownKeyCallbacks } from './callback/unknown-key-callbacks.js';
import { CollectionsClient } from './collections-client.js';
import { ReportMetrics } from './report-metrics.js';
import { RailRecordsModule } from './rail-records.module.js';

/**
 * `POST /rails/<token>`. Needs, from the app's infrastructure: Keyring, Ids, Clock, Timer, Metrics, RailAddresses,
 * Database, and a handler for ConfirmCollection.
 */
@Module({
  imports: [CqrsModule, RailRecordsModule],
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
