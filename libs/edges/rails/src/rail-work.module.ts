import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { LeasedEntries } from './inbox/inbox.js';
import { BalanceSides, BalanceStep } from './balances/balance-step.js';
import { ProjectedRailLedger, RailLedger } from './balances/clearing-figures.js';
import { CallbackQuestions, UnverifiedCallbacks } from './inbox/unverified-callbacks.js';
import { ExtraQuestions } from './query/extra-questions.js';
import { QueryStep } from './query/query-step.js';
import { FloatStep } from './payouts/float-step.js';
import { PayoutInbox } from './payouts/payout-inbox.js';
import { PayoutPace } from './payouts/payout-pace.js';
import { PayoutQueryStep } from './payouts/payout-query-step.js';
import { PayoutQuestions } from './payouts/payout-questions.js';
import { PayoutAgeStep } from './payouts/payout-age-step.js';
import { PayoutReviewStep } from './payouts/payout-review-step.js';
import { PayoutSendStep } from './payouts/payout-send-step.js';
import { PayoutsClient } from './payouts/payouts-client.js';
import { FinalQuery, FinalStatusCheck } from './timeouts/final-status-check.js';
import {
  OverdueCollections,
  ProjectedOverdueCollections,
  TimeoutStep,
} from './timeouts/timeout-step.js';
import { InboxReports, InboxStep } from './inbox/inbox-step.js';
import { OpenedCallbacks } from './inbox/opened-callbacks.js';
import { PaymentListStep } from './payment-lists/payment-list-step.js';
import { TakenHoursStep } from './payment-lists/taken-hours.js';
import { RailListsModule } from './rail-lists.module.js';
import { JudgedNotices } from './notices/judged-notices.js';
import { NoticeInbox, Notices } from './notices/notice-inbox.js';
import { OpenedNotices } from './notices/opened-notices.js';
import { ReceiptQuestions } from './notices/receipt-questions.js';
import { OpenedTokens, UnopenedStep } from './inbox/unopened-step.js';

/**
 * The worker's steps: InboxStep, UnopenedStep, QueryStep and TimeoutStep, PaymentListStep, and those of payouts: PayoutSendStep,
 * PayoutQueryStep, PayoutAgeStep, PayoutReviewStep and FloatStep. Needs, from the app's infrastructure: Rail,
 * RailTable, Keyring, Ids, Clock, Timer, Metrics, Database (views included), EventStore, RailWorkOptions, QuerySchedule, ExtraQueries,
 * PaymentListRails, TakenDays, TakenHours, BalanceRails, BalanceRounds, ReceiptRails, PayoutQueries, PayoutRails, RailFloats, AccountRefusals, what RailCallbacksModule needs of the records, and handlers for
 * ConfirmCollection, FlagCollection, FindCollection, ConfirmPayout, SendPayout, FlagPayout, PostBankSettlement
 * and CompareRailBalance.
 */
@Module({
  imports: [CqrsModule, RailListsModule],
  providers: [
    CallbackQuestions,
    ExtraQuestions,
    UnverifiedCallbacks,
    LeasedEntries,
    JudgedNotices,
    OpenedNotices,
    ReceiptQuestions,
    { provide: Notices, useClass: NoticeInbox },
    InboxReports,
    InboxStep,
    FinalStatusCheck,
    FinalQuery,
    OpenedCallbacks,
    QueryStep,
    FloatStep,
    PayoutInbox,
    PayoutPace,
    PayoutQuestions,
    PayoutQueryStep,
    PayoutAgeStep,
    PayoutReviewStep,
    PayoutSendStep,
    PayoutsClient,
    TimeoutStep,
    PaymentListStep,
    TakenHoursStep,
    BalanceSides,
    BalanceStep,
    { provide: RailLedger, useClass: ProjectedRailLedger },
    { provide: OverdueCollections, useClass: ProjectedOverdueCollections },
    OpenedTokens,
    UnopenedStep,
  ],
  exports: [
    RailListsModule,
    BalanceStep,
    FloatStep,
    InboxStep,
    PayoutQueryStep,
    PayoutAgeStep,
    PayoutReviewStep,
    PayoutSendStep,
    QueryStep,
    PaymentListStep,
    TakenHoursStep,
    TimeoutStep,
    UnopenedStep,
  ],
})
export class RailWorkModule {}
