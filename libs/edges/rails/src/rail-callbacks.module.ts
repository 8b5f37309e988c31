import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountReports } from './balances/account-reports.js';
import { CallbackKeys } from './callback/callback-keys.js';
import { CallbackRecords } from './callback/callback-records.js';
import { DirectConfirmations } from './callback/direct-confirmations.js';
import { CollectionsClient } from './collections-client.js';
import { PayoutsClient } from './payouts/payouts-client.js';
import { ReportMetrics } from './report-metrics.js';
import { AcknowledgedCallbacks } from './callback/acknowledged-callbacks.js';
import { CallbackController } from './callback/callback.controller.js';
import { CallbackReceiver } from './callback/callback-receiver.js';
import { ProjectedReferenceView, ReferenceView } from './inbox/rail-references.js';
import { NamedAccounts } from './notices/named-accounts.js';
import { NoticeController } from './notices/notice.controller.js';
import { PaymentValidation } from './notices/payment-validation.js';
import { UnknownKeyCallbacks } from './callback/unknown-key-callbacks.js';
import { NamedPushes } from './shared-address/named-pushes.js';
import { SharedAddressController } from './shared-address/shared-address.controller.js';

/**
 * `POST /rails/<token>`, `POST /rails/c2b/<token>` and `POST /rails/shared/<token>`. Needs, from the app's infrastructure: Keyring, Ids, Timer, Metrics, RailTable,
 * ClaimedReferences, Inbox, SealedMessages, UnopenedCallbacks, RailFloats, BalanceRounds, AccountRefusals, AccountNumbers, Database (views included), Rail, and handlers for ConfirmCollection and
 * ConfirmPayout.
 */
@Module({
  imports: [CqrsModule],
  controllers: [CallbackController, NoticeController, SharedAddressController],
  providers: [
    AccountReports,
    AcknowledgedCallbacks,
    CallbackKeys,
    CallbackReceiver,
    CallbackRecords,
    { provide: ReferenceView, useClass: ProjectedReferenceView },
    CollectionsClient,
    DirectConfirmations,
    NamedAccounts,
    NamedPushes,
    PaymentValidation,
    PayoutsClient,
    ReportMetrics,
    UnknownKeyCallbacks,
  ],
})
export class RailCallbacksModule {}
