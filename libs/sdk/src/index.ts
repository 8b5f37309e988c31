export { PesaPost } from './pesapost.js';
export { type PesaPostOptions } from './options.js';
export { signedFetch, type SignedFetchOptions } from './signed-fetch.js';
export { type Fetch, type FetchAnswer, type FetchInit } from './http/exchange.js';
export { type RetryPolicy } from './http/retry.js';
export { type Collections, type CreateOptions, type WaitOptions } from './resources/collections.js';
export { type EventFilters, type Events, type EventsPage } from './resources/events.js';
export { type PayoutBatches } from './resources/payout-batches.js';
export { type Payouts } from './resources/payouts.js';
export { type Transactions } from './resources/transactions.js';
export { type Accounts } from './resources/accounts.js';
export { type CallContext, PesaPostError } from './errors/pesapost-error.js';
export { type ErrorCode, errorKinds } from './errors/error-codes.js';
export {
  type AnsweredFailure,
  type DifferentCollection,
  type DifferentPayout,
  type DifferentPayoutBatch,
  type Failure,
  type NetworkFailure,
  type NotSettled,
  type TimedOut,
  type UnexpectedAnswer,
  type UnknownCode,
} from './errors/failure.js';
export {
  type AmountMinor,
  type AnswerFacts,
  type Balance,
  type CallOptions,
  type CreatedCollection,
  type DecidedPayout,
  type DecidedPayoutBatch,
  type ExpectedPayment,
  type NewCollection,
  type NewExpectedPayment,
  type NewRefund,
  type NewPayout,
  type NewPayoutBatch,
  type NewPayoutBatchItem,
  type PayoutBatch,
  type PayoutBatchRepeat,
  type PayoutBatchSummary,
  type PayoutRepeat,
  type PastReadOptions,
  type ReadOptions,
  type Receipt,
  type ReceiptPosting,
  type RequestedPayout,
  type RequestedPayoutBatch,
  type SealedHead,
  type Transaction,
  type TransactionFilters,
  type TransactionStatus,
  type TransactionsPage,
  type TransactionType,
} from './types.js';
export {
  type ReceiverOptions,
  type ReceivedRequest,
  type WebhookReceiver,
  webhookReceiver,
} from './webhooks/webhook-receiver.js';
export {
  verifyWebhook,
  type WebhookHeaders,
  type WebhookToVerify,
  type WebhookProblem,
  WebhookVerificationError,
  type WebhookEvent,
  type WebhookEventType,
} from './webhooks/verify-webhook.js';
