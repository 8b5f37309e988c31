import { Pipeline } from '#domain/event-sourcing';
import { Clock, constructed } from '#domain/kernel';
import { Reservations } from '#domain/ledger';
import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { DecidePayoutBatchHandler } from './batch/decide-payout-batch.command.js';
import {
  CompletePayoutBatchHandler,
  FindPayoutBatchHandler,
} from './batch/find-payout-batch.query.js';
import { FindBatchItemsHandler } from './batch/find-batch-items.query.js';
import { MatchBatchItemsHandler } from './batch/match-batch-items.query.js';
import { PayoutBatches } from './batch/payout-batches.js';
import { RequestPayoutBatchHandler } from './batch/request-payout-batch.command.js';
import { CancelPayoutBatchHandler } from './cancel/cancel-payout-batch.command.js';
import { CancelPayoutHandler } from './cancel/cancel-payout.command.js';
import { ConfirmPayoutHandler } from './confirm/confirm-payout.command.js';
import { DecisionGuards } from './decide/decision-guards.js';
import { DecidePayoutHandler } from './decide/decide-payout.command.js';
import { FindPayoutHandler } from './find/find-payout.query.js';
import { CompletePayoutHandler } from './funds/complete-payout.command.js';
import { PayoutFunds } from './funds/payout-funds.js';
import { ExpireApprovalHandler } from './expire/expire-approval.command.js';
import { PausePayoutsHandler } from './pause/pause-payouts.command.js';
import { PayoutStopsInLog } from './pause/payout-stops.js';
import {
  PaidNumbers,
  PayoutAge,
  PayoutAllowances,
  PayoutBatchItems,
  PayoutOrders,
  PayoutPhones,
  PayoutRail,
  PayoutTermsDirectory,
} from './ports.js';
import { ApprovalLimits, PayoutLimits } from './request/payout-limits.js';
import { RequestRefundHandler } from './refund/request-refund.command.js';
import { RequestPayoutHandler } from './request/request-payout.command.js';
import { ConfirmPayoutReviewHandler } from './review/confirm-payout-review.command.js';
import { DeclinePayoutReviewHandler } from './review/decline-payout-review.command.js';
import { OpenPayoutReviewHandler } from './review/open-payout-review.command.js';
import { PayoutSettlement } from './review/payout-settlement.js';
import { ResolvePayoutReviewHandler } from './review/resolve-payout-review.command.js';
import { FlagPayoutHandler } from './send/flag-payout.command.js';
import { PromptOrders } from './send/prompt-orders.js';
import { SendPayoutHandler } from './send/send-payout.command.js';

const payoutFunds = constructed(PayoutFunds, PayoutFunds, [Pipeline, Reservations, PayoutOrders]);

const payoutSettlement = constructed(PayoutSettlement, PayoutSettlement, [
  PayoutFunds,
  PayoutPhones,
  PayoutAllowances,
]);

const payoutBatches = {
  provide: PayoutBatches,
  inject: [Pipeline, Reservations, PayoutBatchItems, PayoutPhones, PayoutAllowances, PayoutOrders],
  useFactory: (
    pipeline: Pipeline,
    reservations: Reservations,
    ...[items, phones, allowances, orders]: [
      PayoutBatchItems,
      PayoutPhones,
      PayoutAllowances,
      PayoutOrders,
    ]
  ) => new PayoutBatches(pipeline, reservations, { items, phones, allowances, orders }),
};

const promptOrders = constructed(PromptOrders, PromptOrders, [PayoutRail, Clock, PayoutPhones]);

const payoutLimits = constructed(PayoutLimits, PayoutLimits, [
  PayoutTermsDirectory,
  PayoutAllowances,
  PaidNumbers,
]);

const payoutStops = constructed(PayoutStopsInLog, PayoutStopsInLog, [Pipeline, PayoutAge]);

const approvalLimits = constructed(ApprovalLimits, ApprovalLimits, [
  PayoutTermsDirectory,
  PayoutAllowances,
]);

const decisionGuards = constructed(DecisionGuards, DecisionGuards, [PayoutOrders, ApprovalLimits]);

/**
 * Approves and rejects payouts, single ones and batches. Needs, from the app: Pipeline, Timer, Reservations,
 * PayoutPhones, PayoutBatchItems, PayoutTermsDirectory, PayoutAllowances, PayoutOrders.
 */
@Module({
  imports: [CqrsModule],
  providers: [
    payoutFunds,
    approvalLimits,
    decisionGuards,
    payoutSettlement,
    payoutBatches,
    CancelPayoutHandler,
    CancelPayoutBatchHandler,
    DecidePayoutHandler,
    DecidePayoutBatchHandler,
    FindPayoutBatchHandler,
  ],
  // The number of batches in progress is counted in one place per process.
  exports: [PayoutBatches],
})
export class PayoutApprovalsModule {}

/**
 * Requests and decides payouts, single ones and batches. Needs, from the app: Pipeline, Timer, Reservations,
 * PayoutPhones, PayoutBatchItems, PayoutTermsDirectory, PayoutAllowances, PayoutOrders, PaidNumbers.
 */
@Module({
  imports: [CqrsModule, PayoutApprovalsModule],
  providers: [
    payoutFunds,
    payoutLimits,
    RequestPayoutHandler,
    RequestRefundHandler,
    FindPayoutHandler,
    RequestPayoutBatchHandler,
    MatchBatchItemsHandler,
    FindBatchItemsHandler,
  ],
})
export class PayoutRequestsModule {}

/** Pauses payouts for operators; resuming them is proposed (`ResumePayoutsSubject`). Needs, from the app: Pipeline. */
@Module({ imports: [CqrsModule], providers: [PausePayoutsHandler] })
export class PayoutPausesModule {}

/** Applies the rail's reports to payouts. Needs, from the app: Pipeline, Reservations, PayoutPhones, PayoutOrders. */
@Module({ imports: [CqrsModule], providers: [payoutFunds, ConfirmPayoutHandler] })
export class PayoutReportsModule {}

/**
 * The worker's steps of payouts. Needs, from the app: Pipeline, Reservations, PayoutPhones, PayoutBatchItems,
 * PayoutAllowances, PayoutOrders, PayoutRail, PayoutAge, Clock.
 */
@Module({
  imports: [CqrsModule],
  providers: [
    payoutFunds,
    payoutSettlement,
    payoutBatches,
    promptOrders,
    payoutStops,
    ExpireApprovalHandler,
    CompletePayoutHandler,
    CompletePayoutBatchHandler,
    FlagPayoutHandler,
    SendPayoutHandler,
  ],
})
export class PayoutWorkModule {}

/**
 * Operators' decisions on payouts under review. Needs, from the app: Pipeline, Reservations, PayoutPhones,
 * PayoutAllowances, PayoutOrders, ReviewProposals, UsedReceipts, ReceiptUse.
 */
@Module({
  imports: [CqrsModule],
  providers: [
    payoutFunds,
    payoutSettlement,
    OpenPayoutReviewHandler,
    ResolvePayoutReviewHandler,
    ConfirmPayoutReviewHandler,
    DeclinePayoutReviewHandler,
  ],
})
export class PayoutReviewsModule {}
