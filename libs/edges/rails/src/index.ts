export { Backoff } from './backoff.js';
export { type Callback } from './callback/callback.js';
export { CallbackKeys } from './callback/callback-keys.js';
export {
  CallbackReceiver,
  type IncomingCallback,
  type Reception,
} from './callback/callback-receiver.js';
export { CallbackRecords } from './callback/callback-records.js';
export { DirectConfirmations } from './callback/direct-confirmations.js';
export { RailAddresses } from './callback/rail-addresses.js';
export { type RailMessage, RailMessages } from './callback/rail-messages.js';
export { CollectionsClient } from './collections-client.js';
export { RailReferenceClaims, type Claim } from './inbox/rail-reference-claims.js';
export {
  type RailReferenceClaim,
  type Claimed,
  ClaimedReferences,
} from './inbox/claimed-references.js';
export { type DueInboxEntry, Inbox, type InboxEntry } from './inbox/inbox.js';
export { InboxReports } from './inbox/inbox-reports.js';
export { InboxStep } from './inbox/inbox-step.js';
export { LeasedEntries } from './inbox/leased-entries.js';
export { OpenedCallbacks } from './inbox/opened-callbacks.js';
export { RailReferences } from './inbox/rail-references.js';
export { ReferenceView } from './inbox/reference-view.js';
export { UnopenedStep } from './inbox/unopened-step.js';
export { UnverifiedCallbacks } from './inbox/unverified-callbacks.js';
export { QueriedAnswers } from './query/queried-answers.js';
export { type DueQuery, type QueryAttempt, QuerySchedule } from './query/query-schedule.js';
export { QueryStep } from './query/query-step.js';
export { QueryThrottle } from './query/query-throttle.js';
export { RailQuestions } from './query/rail-questions.js';
export { type PayoutCallback } from './payouts/payout-callback.js';
export { FloatStep } from './payouts/float-step.js';
export { PayoutRails, type PayoutRailsOptions } from './payouts/payout-rails.js';
export { type RailFloat, RailFloats } from './payouts/rail-floats.js';
export { PayoutQueryStep } from './payouts/payout-query-step.js';
export { PayoutSendStep } from './payouts/payout-send-step.js';
export { PayoutReviewStep } from './payouts/payout-review-step.js';
export {
  type DuePayoutQuery,
  type PayoutAnswerNote,
  PayoutQueries,
} from './payouts/payout-queries.js';
export {
  type Asked,
  type PayoutReports,
  type Prompt,
  type RailAdapter,
  type RailCallbacks,
  type RailFactory,
  type RailParts,
  type RailPayouts,
  type ReportAddresses,
} from './rail-adapter.js';
export { RailCallbacksModule } from './rail-callbacks.module.js';
export { RailTable } from './rail-table.js';
export { RailWorkModule } from './rail-work.module.js';
export { lateAnswerMs, RailWorkOptions, type RailWorkSettings } from './rail-work-options.js';
export { railProviders, Rails, type RailsOptions } from './rails.js';
export { ReportMetrics } from './report-metrics.js';
export { railMessageLabel } from './callback/seal-rail-message.js';
export {
  type Opening,
  type UnopenedCallback,
  UnopenedCallbacks,
} from './callback/unopened-callbacks.js';
export { unopenedLabel } from './callback/unopened-payload.js';
export { FinalQuery } from './timeouts/final-query.js';
export { FinalStatusCheck } from './timeouts/final-status-check.js';
export { OverdueCollections } from './timeouts/overdue-collections.js';
export { TimeoutStep } from './timeouts/timeout-step.js';
