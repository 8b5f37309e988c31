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

/** The meaning of each refusal, and what to do. */
const explain = {
  unknown_collection: 'no such collection: is it the right merchant and mode?',
  not_under_review: 'it is not under review, so there is nothing to decide',
  not_possible: 'the item does not allow this decision now; review show lists the possible ones',
  payment_missing: 'nothing is posted yet: say --receipt and --amount from the rail’s statement',
  payment_not_asked:
    'money is posted already: leave out --receipt and --amount to confirm the posting',
  invalid_amount: 'an amount is 1 or more, in minor units',
  second_operator_needed: 'money moves: another operator must confirm',
  same_operator: 'refused: another operator than the one who proposed it must confirm',
  unknown_account: 'the merchant’s account is in no view yet: try again when the projector is up',
  receipt_taken: 'another collection has this receipt already: one payment is posted once',
} as const satisfies Record<RulingRefusal | 'receipt_taken', string>;

/** The same for payouts. */
const explainPayout = {
  not_under_review: explain.not_under_review,
  not_possible: explain.not_possible,
  payment_missing: explain.payment_missing,
  payment_not_asked: explain.payment_not_asked,
  same_operator: explain.same_operator,
  receipt_taken:
    'another payout, a collection or a correction has this receipt already: one payment is posted once',
  unknown_payout: 'no such payout: is it the right merchant and mode?',
  amount_differs:
    'a payout is posted with its own amount: say that one, and correct what the rail paid beyond or below it',
} as const satisfies Record<PayoutRulingRefusal | 'receipt_taken', string>;

/** For an operator who proposes a ruling on a collection. */
export const resolveRefusals = {
  ...explain,
  receipt_proposed: 'another collection’s proposal that waits names this receipt: see review list',
} as const satisfies Record<ResolveRefusal, string>;

export const resolvePayoutRefusals = {
  ...explainPayout,
  receipt_proposed: 'another proposal that waits names this receipt: see review list',
} as const satisfies Record<ResolvePayoutRefusal, string>;

/** Why a proposal cannot be confirmed, whatever it is about. */
const confirmation = {
  no_proposal: 'no proposal waits: it was decided already, or review resolve must come first',
  proposal_replaced: 'another proposal waits now than this one: read it with review show first',
  proposer_lost_role: 'the proposer may no longer decide: propose it again with review resolve',
  overtaken: 'the rail’s report, or a decision, came first; the proposal is ended',
} as const satisfies Partial<Record<ConfirmReviewRefusal, string>>;

/** For an operator who confirms a ruling. */
export const confirmRefusals = {
  ...explain,
  ...confirmation,
} as const satisfies Record<ConfirmReviewRefusal, string>;

export const confirmPayoutRefusals = {
  ...explainPayout,
  ...confirmation,
  given_before:
    'the records know that the rail was given it: nothing is released, and the worker asks the rail for the outcome',
} as const satisfies Record<ConfirmPayoutReviewRefusal, string>;

/** For an operator who proposes a correction. */
export const correctionRefusals = {
  too_few_legs: 'a correction moves at least two accounts: give --leg for each',
  too_many_legs: 'a correction has 20 legs at most: split it',
  leg_of_nothing: 'a leg moves something',
  amount_too_large: 'a leg moves at most 10^15 minor units',
  account_repeated: 'each account has one leg: add up what it gets and gives',
  not_balanced: 'the legs do not sum to zero: what one account gets, another gives',
  several_wallets_debited: 'a correction takes from one wallet at most: write one for each',
  unknown_account:
    'an account is unknown: a wallet must be the merchant’s in this mode and currency, the rail is mpesa',
  unknown_stream:
    '--corrects names no collection, payout or correction of this merchant in this mode: npx pesapost show REFERENCE',
  id_reused: 'this id has another correction already: npx pesapost correction show ID',
  overdraw_needs_rail:
    '--may-overdraw is for what the rail did: give its --receipt and a leg of rail-clearing:mpesa',
  receipt_taken: 'the receipt is written down elsewhere already: npx pesapost find RECEIPT',
} as const satisfies Record<ProposeRefusal, string>;

/** For an operator who posts a correction. */
export const confirmCorrectionRefusals = {
  unknown_correction: 'no such correction in this mode: npx pesapost correction list --open',
  same_operator: 'you proposed it: another operator confirms',
  proposer_lost_role: 'the proposer may no longer decide: post it again',
  receipt_taken: 'its receipt was written down elsewhere meanwhile: npx pesapost find RECEIPT',
  insufficient_funds:
    'the wallet has less than the correction takes; nothing was reserved. Confirm when it has it, ' +
    'or, if the rail took the money already, post it again with --receipt and --may-overdraw',
  expired: 'it was not confirmed within 24 hours: post it again',
  withdrawn: 'the proposer took it back',
} as const satisfies Record<ConfirmCorrectionRefusal, string>;

/** For an operator who withdraws a correction. */
export const endCorrectionRefusals = {
  unknown_correction: confirmCorrectionRefusals.unknown_correction,
  not_proposer: 'only the proposer may take it back; it ends by itself after 24 hours',
  not_over: 'it may still be confirmed',
  already_posted: 'it is posted: another correction puts it right',
  confirmed: 'another operator has confirmed it, and it is being posted',
} as const satisfies Record<EndCorrectionRefusal, string>;
