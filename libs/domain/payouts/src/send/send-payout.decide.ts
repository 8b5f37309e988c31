import { assertNever, type Minor, ok, refuse, type Result } from '#domain/kernel';
import { type Merchant } from '#domain/merchants';
import { afterDeclined } from '../confirm/confirm-payout.decide.js';
import { type Approved, type Payout } from '../payout.js';
import {
  type PayoutEvent,
  type PayoutReviewFlagged,
  type PayoutReviewReason,
} from '../payout.events.js';
import { type PayoutAnswer } from '../ports.js';
import { type ApprovalStanding, expiryOf } from './sending-checks.js';

/** What the sender knows before it sends. */
export interface Readiness extends ApprovalStanding {
  readonly originatorConversationId: string;
  /** Undefined: not known. Nothing begins to wait for it then, and what waits goes on waiting (PAY-14). */
  readonly floatMinor: Minor | undefined;
  readonly hasPhone: boolean;
  /** The rail was given it before, whatever the log says. */
  readonly wasOrdered: boolean;
  readonly isPaused: boolean;
  /** Its batch's cancellation is recorded, and its own is about to be (PAY-46). */
  readonly isBatchCancelled: boolean;
  readonly merchant: Merchant;
}

/**
 * The first event of sending, or why nothing is sent now: its batch was cancelled, the approval no longer counts, an
 * operator paused it, the rail's own account does not cover it, which is recorded once, or the number is gone, which a person must see. A payout
 * that the rail was given before counts as sent.
 */
export function decideStartPayout(ready: Readiness, state: Approved): readonly PayoutEvent[] {
  const { originatorConversationId } = ready;
  const started: PayoutEvent = { type: 'RailPayoutStarted', data: { originatorConversationId } };
  if (ready.wasOrdered) return [started];
  if (ready.isBatchCancelled) return [];
  const why = expiryOf(ready, state, ready.merchant);
  if (why !== undefined) return [{ type: 'PayoutApprovalExpired', data: { why } }];
  if (ready.isPaused) return [];
  if (!ready.hasPhone) return flag('phone_missing', state);
  if (isCovered(ready, state)) return [started];
  return state.waitingForFloatSince === undefined
    ? [{ type: 'PayoutWaitingForFloat', data: { since: ready.now } }]
    : [];
}

/** Of a float that nobody knows any more, what was last told holds: it did not cover what waits. */
function isCovered({ floatMinor }: Readiness, state: Approved): boolean {
  return floatMinor === undefined
    ? state.waitingForFloatSince === undefined
    : floatMinor >= state.request.amountMinor;
}

/** What the rail's answer to the order adds; nothing where its result came first. */
export function decideRecordAnswer(answer: PayoutAnswer, state: Payout): readonly PayoutEvent[] {
  if (state.status === 'none' || !('originatorConversationId' in state)) return [];
  if (answer.kind === 'accepted')
    return state.conversationId === undefined
      ? [{ type: 'RailPayoutAccepted', data: { conversationId: answer.conversationId } }]
      : [];
  return state.status === 'started' ? afterDeclined('answer', answer.failureCode, state) : [];
}

/** Reasons for which the worker lists a payout; each while it holds. */
export type FlagPayoutReason = Extract<
  PayoutReviewReason,
  'no_word_from_rail' | 'float_missing' | 'duplicate_receipt'
>;

/** Flagged once, and only while the reason holds. */
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
      // Told once, also to whoever decides on something else.
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
