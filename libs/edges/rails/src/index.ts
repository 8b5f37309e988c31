export {
  Backoff,
  lateAnswerMs,
  RailWorkOptions,
  type RailWorkSettings,
} from './rail-work-options.js';
export {
  type Callback,
  RailAddresses,
  type PayoutCallback,
  type Answered,
  type NoticeAddresses,
  type NoticesRegistered,
  type PaymentNotice,
  type PaymentNotices,
  type AnsweredAtOnce,
  type AnsweredOrder,
  type AnsweredPush,
  type Asked,
  type PayoutReports,
  type Prompt,
  type RailAdapter,
  type RailBalances,
  type RailCallbacks,
  type RailFactory,
  type RailParts,
  type RailPayouts,
  type RailReceiptQuestions,
  type ReceiptAnswer,
  type ReportAddresses,
  RailTable,
  type RailPaymentLists,
  type TakenAnswer,
  type TakenPayment,
  type TakenSweep,
} from './rail-adapter.js';
export {
  CallbackKeys,
  purposeText,
  sealNoticeToken,
  sealPayoutToken,
  sealSharedToken,
} from './callback/callback-keys.js';
export {
  CallbackReceiver,
  type IncomingCallback,
  type Reception,
} from './callback/callback-receiver.js';
export {
  type BalanceReport,
  type BalanceRound,
  BalanceRounds,
  type ReportedAccount,
  type ToldBalance,
} from './balances/balance-rounds.js';
export { AccountReports } from './balances/account-reports.js';
export { BalanceRails } from './balances/balance-rails.js';
export { BalanceStep } from './balances/balance-step.js';
export { type RailAccount } from './payouts/rail-floats.js';
export { CallbackRecords } from './callback/callback-records.js';
export { DirectConfirmations } from './callback/direct-confirmations.js';
export { CollectionsClient } from './collections-client.js';
export {
  RailReferenceClaims,
  type Claim,
  type RailReferenceClaim,
  type Claimed,
  ClaimedReferences,
} from './inbox/rail-reference-claims.js';
export {
  type DueInboxEntry,
  Inbox,
  type InboxEntry,
  LeasedEntries,
  type ToldPayment,
} from './inbox/inbox.js';
export { InboxReports, InboxStep } from './inbox/inbox-step.js';
export { noticePrefix } from './notices/notice-entry.js';
export { NoticeRails, type Registration } from './notices/notice-rails.js';
export { ReceiptRails } from './notices/receipt-rails.js';
export { OpenedCallbacks } from './inbox/opened-callbacks.js';
export { RailReferences, ReferenceView } from './inbox/rail-references.js';
export { UnopenedStep } from './inbox/unopened-step.js';
export { CallbackQuestions, UnverifiedCallbacks } from './inbox/unverified-callbacks.js';
export { ExtraQueries, extraGapMs, ExtraQuestions } from './query/extra-questions.js';
export { QueriedAnswers } from './query/queried-answers.js';
export { type DueQuery, type QueryAttempt, QuerySchedule } from './query/query-schedule.js';
export { QueryStep } from './query/query-step.js';
export { QueryThrottle } from './query/query-throttle.js';
export { RailQuestions } from './query/rail-questions.js';
export { FloatStep } from './payouts/float-step.js';
export { PayoutRails, type PayoutRailsOptions } from './payouts/payout-rails.js';
export { type RailFloat, RailFloats } from './payouts/rail-floats.js';
export {
  type DuePayoutQuery,
  type LastPayoutQuestion,
  type PayoutAnswerNote,
  PayoutQueries,
} from './payouts/payout-queries.js';
export { PayoutQueryStep } from './payouts/payout-query-step.js';
export { PayoutInbox } from './payouts/payout-inbox.js';
export { PayoutQuestions } from './payouts/payout-questions.js';
export { AccountRefusals } from './payouts/account-refusals.js';
export { PayoutsClient } from './payouts/payouts-client.js';
export { PayoutPace } from './payouts/payout-pace.js';
export { PayoutSendStep } from './payouts/payout-send-step.js';
export { PayoutAgeStep } from './payouts/payout-age-step.js';
export { PayoutReviewStep } from './payouts/payout-review-step.js';
export { NamedPushes } from './shared-address/named-pushes.js';
export { RailCallbacksModule } from './rail-callbacks.module.js';
export { RailListsModule } from './rail-lists.module.js';
export { RailWorkModule } from './rail-work.module.js';
export { RailAnswers } from './rail-answers.js';
export { railProviders, Rails, type RailsOptions } from './rails.js';
export { ReportMetrics } from './report-metrics.js';
export { FinalQuery, FinalStatusCheck } from './timeouts/final-status-check.js';
export { OverdueCollections, TimeoutStep } from './timeouts/timeout-step.js';
export {
  type DueDay,
  type EndedDay,
  TakenDays,
  type UnmatchedPayment,
} from './payment-lists/taken-days.js';
export { TakenHours, TakenHoursStep } from './payment-lists/taken-hours.js';
export { PaymentListRails, type PaymentListRail } from './payment-lists/payment-list-rails.js';
export { PaymentListStep } from './payment-lists/payment-list-step.js';
export {
  type ComparedRange,
  TakenWindow,
  type TimeRange,
  type WindowRefusal,
} from './payment-lists/taken-window.js';
export { ask, type AskLine } from './wire/ask.js';
export {
  bearer,
  bearerSeal,
  forget,
  headersWith,
  type MakeTokenSource,
  RailCredentialsRefused,
  tokenIn,
  type TokenSource,
} from './wire/bearer.js';
export { Endpoint, type EndpointOptions } from './wire/endpoint.js';
export { type RailExchange } from './wire/exchange.js';
export { isObject, memberObject, parseBytes, parseObject, railIdOf, textOf } from './wire/json.js';
export { push, type PushLine, type PushReading, type Sign } from './wire/push.js';
export {
  type Attempt,
  type TimeLeft,
  type Tries,
  tryUntilDone,
  unavailable,
} from './wire/tries.js';
export { readAmount } from './statement/amounts.js';
export { isCode, partyOf, partyOfNumber } from './statement/parties.js';
export {
  type RailCells,
  readStatementFile,
  type StatementDay,
  type StatementFormat,
} from './statement/statement-file.js';
export { eastAfricaOffsetMs, msOfEastAfricaTime } from './statement/times.js';
