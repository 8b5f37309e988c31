import { assertNever, type Minor, ok, refuse, type Result } from '#domain/kernel';
import { type Merchant } from '#domain/merchants';
import { afterDeclined } from '../confirm/confirm-payout.decide.js';
import { type Approved, type Payout } from '../payout.js';
import {
  type PayoutEvent,
  type PayoutReviewFlagged,
  type PayoutReviewReason,
  type RailPayoutAccepted,
} from '../payout.events.js';
import { type PayoutAnswer } from '../ports.js';
import { type ApprovalStanding, expiryOf } from './sending-checks.js';

/** The sender's facts before it sends. */
export interface Readiness extends ApprovalStanding {
  readonly originatorConversationId: string;
  /**
   * Undefined if it is not known. Then no payout starts to wait for it, and waiting payouts go on waiting (PAY-14).
   */
  readonly floatMinor: Minor | undefined;
  /** False if the records lost the number to pay. */
  readonly hasPayee: boolean;
  /** False for a refund that its collection no longer allows. */
  readonly isOwed: boolean;
  /** True if the rail was given it before, whatever the log says. */
  readonly wasOrdered: boolean;
  readonly isPaused: boolean;
  /** True if its batch's cancellation is recorded; its own cancellation follows (PAY-46). */
  readonly isBatchCancelled: boolean;
  readonly merchant: Merchant;
}

/**
 * Decides the first event of sending. A payout that the rail was given before counts as sent. Nothing is sent now in
 * these cases:
 * - its batch was cancelled;
 * - the approval no longer counts;
 * - an operator paused it;
 * - the number is gone, which a person must see;
 * - the rail's own account does not cover it, which is recorded once.
 */
export function decideStartPayout(ready: Readiness, state: Approved): readonly PayoutEvent[] {
  const { originatorConversationId } = ready;
  const started: PayoutEvent = { type: 'RailPayoutStarted', data: { originatorConversationId } };
  if (ready.wasOrdered) return [started];
  if (ready.isBatchCancelled) return [];
  const why = expiryOf(ready, state, ready.merchant) ?? (ready.isOwed ? undefined : 'checks');
  if (why !== undefined) return [{ type: 'PayoutApprovalExpired', data: { why } }];
  if (ready.isPaused) return [];
  if (!ready.hasPayee) return flag('phone_missing', state);
  if (isCovered(ready, state)) return [started];
  return state.waitingForFloatSince === undefined
    ? [{ type: 'PayoutWaitingForFloat', data: { since: ready.now } }]
    : [];
}

/** If the float is no longer known, the last report counts: it did not cover the waiting payouts. */
function isCovered({ floatMinor }: Readiness, state: Approved): boolean {
  return floatMinor === undefined
    ? state.waitingForFloatSince === undefined
    : floatMinor >= state.request.amountMinor;
}

/** The event that the rail's answer to the order adds; none if its result came first. */
export function decideRecordAnswer(answer: PayoutAnswer, state: Payout): readonly PayoutEvent[] {
  if (state.status === 'none' || !('originatorConversationId' in state)) return [];
  if (answer.kind === 'accepted')
    return state.conversationId === undefined
      ? [{ type: 'RailPayoutAccepted', data: namesOf(answer) }]
      : [];
  return state.status === 'started' ? afterDeclined('answer', answer.failureCode, state) : [];
}

function namesOf({
  conversationId,
  originatorConversationId: named,
}: Extract<PayoutAnswer, { kind: 'accepted' }>): RailPayoutAccepted['data'] {
  return { conversationId, ...(named === undefined ? {} : { originatorConversationId: named }) };
}

/** Reasons for which the worker lists a payout, each while it holds. */
export type FlagPayoutReason = Extract<
  PayoutReviewReason,
  'no_word_from_rail' | 'float_missing' | 'duplicate_receipt'
>;

/** Flags once, and only while the reason holds. */
export function decideFlagPayout(
  why: FlagPayoutReason,
  state: Payout,
): Result<readonly PayoutReviewFlagged[], 'unknown_payout'> {
  if (state.status === 'none') return refuse('unknown_payout');
  switch (why) {
    case 'no_word_from_rail':
      return ok(state.status === 'started' ? flag(why, state) : []);
    case 'float_missing':
      return ok(
        state.status === 'approved' && state.waitingForFloatSince !== undefined
          ? flag(why, state)
          : [],
      );
    case 'duplicate_receipt':
      // Flagged once, even during a review of another question.
      return ok(
        state.status === 'completed' && state.receipt !== undefined && !state.sharesReceipt
          ? [{ type: 'ReviewFlagged', data: { why } }]
          : [],
      );
    default:
      return assertNever(why);
  }
}

function flag(
  why: PayoutReviewReason,
  { underReview }: { readonly underReview: boolean },
): readonly PayoutReviewFlagged[] {
  return underReview ? [] : [{ type: 'ReviewFlagged', data: { why } }];
}
