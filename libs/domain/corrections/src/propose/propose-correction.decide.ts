import { ok, refuse, type Result } from '#domain/kernel';
import { type Leg } from '#domain/ledger';
import { checkLegs, debitedWallet, type LegsRefusal } from '../legs.js';
import { type Correction } from '../correction.js';
import { type CorrectionProposed, type CorrectionTerms } from '../correction.events.js';

/**
 * `unknown_account`: not the merchant's in this mode and currency, or no account of the ledger. `unknown_stream`: the
 * corrected stream does not exist, or belongs to another merchant or the other mode. `id_reused`: the id has other
 * terms already. `overdraw_needs_rail`: only a movement by the rail may overdraw a wallet; it has a receipt and moves
 * the rail's clearing account. `receipt_taken`: another stream has the receipt.
 */
export type ProposeRefusal =
  | LegsRefusal
  | 'unknown_account'
  | 'unknown_stream'
  | 'id_reused'
  | 'overdraw_needs_rail'
  | 'receipt_taken';

/** Records the proposal, or adds nothing if the same proposal exists. */
export function decideProposeCorrection(
  proposed: CorrectionProposed['data'],
  state: Correction,
): Result<readonly CorrectionProposed[], ProposeRefusal> {
  if (state.status !== 'none')
    return isSameProposal(proposed, state.proposal) ? ok([]) : refuse('id_reused');
  const checked = checkTerms(proposed);
  return checked.ok ? ok([{ type: 'CorrectionProposed', data: proposed }]) : checked;
}

/** Checks the terms alone, without reading anything. */
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

/** True if the rail took at least the wallet's debit. Anything beyond that is a fee that is given back. */
function isTakenByRail(legs: readonly Leg[]): boolean {
  const takenMinor = legs
    .filter(({ account }) => account.startsWith('rail-clearing:'))
    .reduce((total, { amountMinor }) => total + amountMinor, 0n);
  return takenMinor > 0n && takenMinor >= (debitedWallet(legs)?.amountMinor ?? 0n);
}

/** Compares the terms only: the revision of the reservations at each request is not part of the proposal. */
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
