export { bearerSeal } from './daraja/bearer-seal.js';
export { type MakeTokenSource, type TokenSource } from './daraja/access-token.js';
export { Backoff } from './backoff.js';
export { CallbackKeys } from './callback/callback-keys.js';
export {
  CallbackReceiver,
  type IncomingCallback,
  type Reception,
} from './callback/callback-receiver.js';
export { CallbackRecords } from './callback/callback-records.js';
export { DirectConfirmations } from './callback/direct-confirmations.js';
export { RailAddresses } from './callback/rail-addresses.js';
export { RailMessages } from './callback/rail-messages.js';
export { ReportMetrics } from './report-metrics.js';
export { CollectionsClient } from './collections-client.js';
export { DarajaRail } from './daraja-rail.js';
export { CheckoutClaims, type Claim } from './inbox/checkout-claims.js';
export { type Claimed, ClaimedCheckouts } from './inbox/claimed-checkouts.js';
export { UnverifiedCallbacks } from './inbox/unverified-callbacks.js';
export { LeasedEntries } from './inbox/leased-entries.js';
export { Inbox } from './inbox/inbox.js';
export { InboxStep } from './inbox/inbox-step.js';
export { OpenedCallbacks } from './inbox/opened-callbacks.js';
export { RailReferences } from './inbox/rail-references.js';
export { UnopenedStep } from './inbox/unopened-step.js';
export { ReferenceView } from './inbox/reference-view.js';
export { QueriedAnswers } from './query/queried-answers.js';
export { QueryThrottle } from './query/query-throttle.js';
export { type DueQuery, type QueryAttempt, QuerySchedule } from './query/query-schedule.js';
export { QueryStep } from './query/query-step.js';
export { RailQuestions } from './query/rail-questions.js';
export { FinalStatusCheck } from './timeouts/final-status-check.js';
export { FinalQuery } from './timeouts/final-query.js';
export { TimeoutStep } from './timeouts/timeout-step.js';
export { OverdueCollections } from './timeouts/overdue-collections.js';
export { RailCallbacksModule } from './rail-callbacks.module.js';
export { RailWorkModule } from './rail-work.module.js';
export { sealedRailTables } from './sealed-rail-tables.js';
export { RailWorkOptions, type RailWorkSettings } from './rail-work-options.js';
