import { type RecordedCorrection } from '#domain/corrections';
import { money } from '../../money.js';

/** A correction as lines of text. */
export function correctionLines(id: string, correction: RecordedCorrection): readonly string[] {
  const { proposal, status } = correction;
  const { legs, currency, merchantId, mode, why, corrects, receipt, mayOverdraw } = proposal;
  return [
    `correction ${id} is ${correctionStatus(correction)}: ${mode}, merchant ${merchantId}`,
    ...legs.map(({ account, amountMinor }) => `  ${account}  ${money(amountMinor, currency)}`),
    `  why: ${why}`,
    ...(corrects === undefined ? [] : [`  corrects: ${corrects}`]),
    ...(receipt === undefined ? [] : [`  receipt: ${receipt}`]),
    ...(mayOverdraw === undefined ? [] : ['  may overdraw the wallet']),
    `  proposed by ${proposal.proposedBy}`,
    ...(status === 'posted' ? [`  confirmed by ${correction.confirmedBy}`] : []),
  ];
}

/** `proposed`, `posted`, `expired` or `withdrawn`. */
function correctionStatus(correction: RecordedCorrection): string {
  return correction.status === 'ended' ? correction.outcome : correction.status;
}

/** The event's data in the spelling of the command line. */
export function correctionJson(id: string, correction: RecordedCorrection): object {
  const { proposal, status } = correction;
  return {
    id,
    status: correctionStatus(correction),
    merchant_id: proposal.merchantId,
    mode: proposal.mode,
    currency: proposal.currency,
    legs: proposal.legs.map(({ account, amountMinor }) => ({ account, amount_minor: amountMinor })),
    why: proposal.why,
    corrects: proposal.corrects ?? null,
    receipt: proposal.receipt ?? null,
    may_overdraw: proposal.mayOverdraw ?? false,
    proposed_by: proposal.proposedBy,
    confirmed_by: status === 'posted' ? correction.confirmedBy : null,
  };
}
