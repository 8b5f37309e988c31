import { type Verdict } from '#domain/collections';

/** What a report says of a payout, not yet believed. */
export interface PayoutCallback {
  readonly originatorConversationId: string;
  /** The rail's own name for the payment, where it is told. */
  readonly conversationId?: string;
  readonly verdict: Verdict;
}
