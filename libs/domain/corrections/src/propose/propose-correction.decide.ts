import { ok, refuse, type Result } from '#domain/kernel';
import { type Leg } from '#domain/ledger';
import { checkLegs, debitedWallet, type LegsRefusal } from '../legs.js';
import { type Correction } from '../correction.js';
import { type CorrectionProposed, type CorrectionTerms } from '../correction.events.js';

/**
 * `unknown_account`: not the merchant's in this mode and currency, or no account of the ledger. `unknown_stream`: what
 * is to be corrected does not exist, or is another merchant's or of the other mode. `id_reused`: the id has other terms
 * already. `overdraw_needs_rail`: only a movement that the rail made may overdraw a wallet: it has a receipt and
 * moves the rail's clearing account. `receipt_taken`: the receipt is written down elsewhere.
 */
export type ProposeRefusal =
  | LegsRefusal
  | 'unknown_account'
  | 'unknown_stream'
  | 'id_reused'
  | 'overdraw_needs_rail'
  | 'receipt_taken';

/** What is proposed, or whether it is there already: nothing to append. */
export function decideProposeCorrection(
  proposed: CorrectionProposed['data'],
  state: Correction,
): Result<readonly CorrectionProposed[], ProposeRefusal> {
  if (state.status !== 'none')
    return isSameProposal(proposed, state.proposal) ? ok([]) : refuse('id_reused');
  const checked = checkTerms(proposed);
  return checked.ok ? ok([{ type: 'CorrectionProposed', data: proposed }]) : checked;
}

/** What can be said of the terms by themselves. */
export function checkTerms({
  legs,
  receipt,
  mayOverdraw,
}: CorrectionTerms): Result<undefined, ProposeRefusal> {
  const checked = checkLegs(legs);
  if (!checked.ok) return checked;
  return mayOverdraw && (receipt === undefined || !isTakenByRail(legs))
    ? refuse('overdraw_needs_rail')
    : ok(undefined);
}

/** The rail took at least what the wallet gives; what it took beyond that is a fee that is given back. */
function isTakenByRail(legs: readonly Leg[]): boolean {
  const takenMinor = legs
    .filter(({ account }) => account.startsWith('rail-clearing:'))
    .reduce((total, { amountMinor }) => total + amountMinor, 0n);
  return takenMinor > 0n && takenMinor >= (debitedWallet(legs)?.amountMinor ?? 0n);
}

/** By what it says, whenever it was sent: the noted revision of the reservations is not part of it. */
function isSameProposal(
  { reservationsRevision: _one, ...proposed }: CorrectionProposed['data'],
  { reservationsRevision: _other, ...recorded }: CorrectionProposed['data'],
): boolean {
  return plain(proposed) === plain(recorded);
}

function plain(terms: Omit<CorrectionProposed['data'], 'reservationsRevision'>): string {
  const { merchantId, mode, currency, legs, why, corrects, receipt, mayOverdraw, proposedBy } =
    terms;
  return JSON.stringify([
    ...[merchantId, mode, currency, why, corrects, receipt, mayOverdraw, proposedBy],
    legs.map(({ account, amountMinor }) => [account, amountMinor.toString()]),
  ]);
}
