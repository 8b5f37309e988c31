import {
  type ConfirmReviewRefusal,
  type ResolveRefusal,
  type RulingRefusal,
} from '#domain/collections';
import {
  type ConfirmCorrectionRefusal,
  type EndCorrectionRefusal,
  type ProposeRefusal,
} from '#domain/corrections';
import {
  type ConfirmPayoutReviewRefusal,
  type PayoutRulingRefusal,
  type ResolvePayoutRefusal,
} from '#domain/payouts';
import { type DeclineRefusal } from '#domain/reviews';

type Decision =
  | DeclineRefusal
  | ConfirmPayoutReviewRefusal
  | ConfirmReviewRefusal
  | PayoutRulingRefusal
  | ResolvePayoutRefusal
  | ResolveRefusal
  | RulingRefusal;

/** Refusals of a decision about a review. */
export const decisionRefusals = {
  unknown_collection: 'This collection does not exist.',
  unknown_payout: 'This payout does not exist.',
  not_under_review: 'This item is not in review, so there is nothing to decide.',
  not_possible: 'This decision is not possible now.',
  payment_missing: 'Nothing is posted yet. Enter the receipt and amount from the rail’s statement.',
  payment_not_asked:
    'The money is already posted. Leave out the receipt and amount to confirm the posting.',
  invalid_amount: 'The amount must be at least 1 minor unit.',
  second_operator_needed: 'This moves money, so another operator must confirm it.',
  same_operator: 'The operator who proposed this cannot confirm it.',
  unknown_account:
    'The merchant’s account is not in the views yet. Try again when the projector runs.',
  receipt_taken: 'This receipt is already in use. A payment is posted only once.',
  receipt_proposed: 'Another pending proposal has this receipt.',
  amount_differs: 'A payout is posted with its own amount. Enter it, then correct the difference.',
  no_proposal: 'There is no pending proposal. It may already be decided.',
  being_confirmed: 'Another operator is confirming this proposal. Try again in a minute.',
  proposal_replaced: 'A newer proposal replaced the one that you saw.',
  proposer_lost_role: 'The proposer can no longer decide. Propose it again.',
  overtaken: 'The rail’s report or another decision came first. The proposal has ended.',
  given_before:
    'The rail already received this payout, so nothing is released. The worker asks the rail for the result.',
} as const satisfies Record<Decision, string>;

/** Refusals of a correction, when it is proposed or confirmed. */
export const correctionRefusals = {
  too_few_legs: 'A correction needs at least two accounts.',
  too_many_legs: 'A correction has at most 20 legs. Split it.',
  leg_of_nothing: 'A leg cannot be zero.',
  amount_too_large: 'A leg moves at most 10^15 minor units.',
  account_repeated: 'Each account has only one leg. Add up its amounts.',
  not_balanced: 'The legs must add up to zero.',
  several_wallets_debited:
    'A correction takes money from one wallet only. Propose one for each wallet.',
  unknown_account:
    'An account does not exist. A wallet must be the merchant’s, in this mode and currency. The rail is mpesa.',
  unknown_stream: 'The item to correct does not exist for this merchant in this mode.',
  id_reused: 'Another correction has this ID.',
  overdraw_needs_rail:
    'A wallet may go negative only for money that the rail moved. Give the receipt and a leg of rail-clearing:mpesa.',
  receipt_taken: 'This receipt is already in use.',
  unknown_correction: 'This correction does not exist in this mode.',
  same_operator: decisionRefusals.same_operator,
  proposer_lost_role: decisionRefusals.proposer_lost_role,
  insufficient_funds:
    'The wallet has too little money. Nothing was reserved. Confirm it later. If the rail already took the money, propose it again with the receipt, and let the wallet go negative.',
  expired: 'The correction expired after 24 hours. Propose it again.',
  withdrawn: 'The proposer withdrew the correction.',
} as const satisfies Record<ProposeRefusal | ConfirmCorrectionRefusal, string>;

/** Refusals of a withdrawal. */
export const endCorrectionRefusals = {
  unknown_correction: correctionRefusals.unknown_correction,
  not_proposer: 'Only the proposer can withdraw it. It expires after 24 hours.',
  not_over: 'It can still be confirmed.',
  already_posted: 'It is posted. To undo it, propose another correction.',
  confirmed: 'Another operator confirmed it. It is being posted.',
} as const satisfies Record<EndCorrectionRefusal, string>;
