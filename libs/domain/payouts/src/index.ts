export {
  automaticApprover,
  lateSourceOf,
  type ExpiryReason,
  type PayoutEvent,
  payoutEventTypes,
  type PayoutKey,
  payoutKeyOf,
  type PayoutRequested,
  type PayoutReviewReason,
  type PayoutRuling,
  payoutStream,
  type RefundOf,
  type RejectionReason,
} from './payout.events.js';
export {
  type Payout,
  type PayoutRequest,
  type PayoutStatus,
  type PayoutView,
  payoutViewOf,
  type RecordedPayout,
  totalOf,
} from './payout.js';
export { payoutDecider } from './payout.evolve.js';
export {
  PayoutApprovalsModule,
  PayoutPausesModule,
  PayoutReportsModule,
  PayoutRequestsModule,
  PayoutReviewsModule,
  PayoutWorkModule,
} from './payouts.module.js';
export {
  type ConfirmedPayoutReview,
  ConfirmPayoutReview,
  ConfirmPayoutReviewHandler,
  type ConfirmPayoutReviewRefusal,
} from './review/confirm-payout-review.command.js';
export {
  DeclinePayoutReview,
  DeclinePayoutReviewHandler,
} from './review/decline-payout-review.command.js';
export { PayoutSettlement } from './review/payout-settlement.js';
export { OpenPayoutReview, OpenPayoutReviewHandler } from './review/open-payout-review.command.js';
export {
  ResolvePayoutReview,
  ResolvePayoutReviewHandler,
  type ResolvePayoutRefusal,
} from './review/resolve-payout-review.command.js';
export {
  isPayoutOpenToPayment,
  type PayoutRulingRefusal,
  possiblePayoutRulings,
} from './review/payout-review.decide.js';
export {
  type AllowanceClaim,
  type AllowanceKind,
  type BatchItem,
  PaidNumbers,
  PayoutAge,
  PayoutAllowances,
  type Payee,
  type PayoutAnswer,
  PayoutBatchItems,
  type PayoutOrder,
  PayoutOrders,
  type PayoutOutcome,
  type PayoutPhone,
  PayoutPhones,
  PayoutRail,
  type PayoutTerms,
  PayoutTermsDirectory,
  type RailOrder,
  type RailPayoutName,
} from './ports.js';
export { type RequestedPayout } from './request/payout-recording.js';
export { decideRefund, type RefundDetails, type RefundRail } from './refund/refund.decide.js';
export {
  RequestRefund,
  RequestRefundHandler,
  type RequestRefundRefusal,
} from './refund/request-refund.command.js';
export {
  RequestPayout,
  RequestPayoutHandler,
  type RequestPayoutRefusal,
} from './request/request-payout.command.js';
export { ApprovalLimits, type LimitRefusal, PayoutLimits } from './request/payout-limits.js';
export { DecisionGuards } from './decide/decision-guards.js';
export { type PayoutDetails } from './request/request-payout.decide.js';
export {
  type DecidedPayout,
  DecidePayout,
  DecidePayoutHandler,
} from './decide/decide-payout.command.js';
export { type Decision, type DecisionRefusal, isDecidedBy } from './decide/decide-payout.decide.js';
export { CancelPayout, CancelPayoutHandler } from './cancel/cancel-payout.command.js';
export {
  type BatchCancelRefusal,
  CancelPayoutBatch,
  CancelPayoutBatchHandler,
  isBatchCancelled,
} from './cancel/cancel-payout-batch.command.js';
export {
  type CancelRefusal,
  isCancelled,
  isStoppable,
  waitsForItsBatch,
} from './cancel/cancel-payout.decide.js';
export { ConfirmPayout, ConfirmPayoutHandler } from './confirm/confirm-payout.command.js';
export {
  type ConfirmPayoutRefusal,
  isTrustedPayment,
  type PayoutReport,
} from './confirm/confirm-payout.decide.js';
export { PromptOrders } from './send/prompt-orders.js';
export { type Sending, SendPayout, SendPayoutHandler } from './send/send-payout.command.js';
export { ExpireApproval, ExpireApprovalHandler } from './expire/expire-approval.command.js';
export { arePayoutsPaused, pausesDecider, pausesStream } from './pause/pauses.js';
export {
  type PauseScope,
  type Pausing,
  PausePayouts,
  PausePayoutsHandler,
} from './pause/pause-payouts.command.js';
export { type PayoutStops, PayoutStopsInLog } from './pause/payout-stops.js';
export {
  resumePayouts,
  ResumePayoutsSubject,
  type ResumeRefusal,
} from './pause/resume-payouts.command.js';
export { FlagPayout, FlagPayoutHandler } from './send/flag-payout.command.js';
export { type FlagPayoutReason } from './send/send-payout.decide.js';
export { CompletePayout, CompletePayoutHandler } from './funds/complete-payout.command.js';
export { PayoutFunds } from './funds/payout-funds.js';
export { FindPayout, type FoundPayout } from './find/find-payout.query.js';
export {
  type PayoutBatchEvent,
  payoutBatchEventTypes,
  type PayoutBatchKey,
  payoutBatchKeyOf,
  payoutBatchStream,
} from './batch/payout-batch.events.js';
export {
  type PayoutBatch,
  payoutBatchDecider,
  type PayoutBatchRequest,
  type PayoutBatchStatus,
  type PayoutBatchView,
  payoutBatchViewOf,
  type RecordedBatch,
} from './batch/payout-batch.js';
export { BatchesAtWork } from './batch/batches-at-work.js';
export { PayoutBatches } from './batch/payout-batches.js';
export {
  type PayoutBatchDetails,
  type RequestedPayoutBatch,
  RequestPayoutBatch,
  RequestPayoutBatchHandler,
  type RequestPayoutBatchRefusal,
} from './batch/request-payout-batch.command.js';
export {
  type BatchDecision,
  type BatchDecisionRefusal,
  type DecidedPayoutBatch,
  DecidePayoutBatch,
  DecidePayoutBatchHandler,
  isBatchDecidedBy,
} from './batch/decide-payout-batch.command.js';
export {
  CompletePayoutBatch,
  CompletePayoutBatchHandler,
  FindPayoutBatch,
} from './batch/find-payout-batch.query.js';
export { FindBatchItems } from './batch/find-batch-items.query.js';
export { MatchBatchItems } from './batch/match-batch-items.query.js';
