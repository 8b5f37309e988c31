import { type ConfirmReviewRefusal, type ResolveRefusal } from '#domain/collections';
import {
  type ConfirmCorrectionRefusal,
  type EndCorrectionRefusal,
  type ProposeRefusal,
} from '#domain/corrections';
import { type ConfirmPayoutReviewRefusal, type ResolvePayoutRefusal } from '#domain/payouts';
import {
  correctionRefusals as correction,
  decisionRefusals as decision,
  endCorrectionRefusals as withdrawal,
} from '#desk/words';

/** The desk's words with the command or the options that help. */
const explain = {
  ...decision,
  unknown_collection: `${decision.unknown_collection} Check --merchant and --mode.`,
  unknown_payout: `${decision.unknown_payout} Check --merchant and --mode.`,
  not_possible: `${decision.not_possible} For the possible ones: npx pesapost review show`,
  payment_missing: `${decision.payment_missing} Use --receipt and --amount.`,
  receipt_proposed: `${decision.receipt_proposed} See npx pesapost review list`,
  no_proposal: `${decision.no_proposal} To propose one: npx pesapost review resolve`,
  proposal_replaced: `${decision.proposal_replaced} Read it first: npx pesapost review show`,
} as const;

/** For an operator who proposes a ruling on a collection. */
export const resolveRefusals: Readonly<Record<ResolveRefusal, string>> = explain;

export const resolvePayoutRefusals: Readonly<Record<ResolvePayoutRefusal, string>> = explain;

/** For an operator who confirms a ruling. */
export const confirmRefusals: Readonly<Record<ConfirmReviewRefusal, string>> = explain;

export const confirmPayoutRefusals: Readonly<Record<ConfirmPayoutReviewRefusal, string>> = explain;

const explainCorrection = {
  ...correction,
  too_few_legs: `${correction.too_few_legs} Give --leg for each.`,
  unknown_stream: `${correction.unknown_stream} Find it: npx pesapost show REFERENCE`,
  id_reused: `${correction.id_reused} See npx pesapost correction show ID`,
  overdraw_needs_rail: `${correction.overdraw_needs_rail} Use --receipt and --leg.`,
  receipt_taken: `${correction.receipt_taken} See npx pesapost find RECEIPT`,
  unknown_correction: `${correction.unknown_correction} See npx pesapost correction list --open`,
  insufficient_funds: `${correction.insufficient_funds} Use --receipt and --may-overdraw.`,
} as const;

/** For an operator who proposes a correction. */
export const correctionRefusals: Readonly<Record<ProposeRefusal, string>> = explainCorrection;

/** For an operator who posts a correction. */
export const confirmCorrectionRefusals: Readonly<Record<ConfirmCorrectionRefusal, string>> =
  explainCorrection;

/** For an operator who withdraws a correction. */
export const endCorrectionRefusals: Readonly<Record<EndCorrectionRefusal, string>> = {
  ...withdrawal,
  unknown_correction: explainCorrection.unknown_correction,
};
