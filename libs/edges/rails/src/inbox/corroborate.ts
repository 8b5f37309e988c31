import { type QueryOutcome, type RailReport } from '#domain/rails';
import { type Callback } from '../rail-adapter.js';
import { type SettlingAnswer, verdictOf } from '../query/rail-questions.js';

/** A callback that the collection did not believe at once, with what is known about it. */
export interface UnverifiedCallback {
  readonly callback: Callback;
  /** True if it came from an address of the rail. */
  readonly fromRail: boolean;
  /** The collection's own rail reference, or undefined if the push's answer is not known. */
  readonly ownReference: string | undefined;
}

/** A report for the collection, and the rail's answer that supports it. */
export interface CorroboratedReport {
  readonly kind: 'report';
  readonly report: RailReport;
  readonly answer: SettlingAnswer;
}

/** `ask_again`: nothing is settled. `drop`: the callback will never settle anything, for the reason given. */
export type Corroboration =
  | CorroboratedReport
  | { readonly kind: 'ask_again'; readonly why: string }
  | { readonly kind: 'drop'; readonly why: string };

/**
 * Decides what to report to the collection after the rail was asked about the callback's own rail reference (RAIL-2).
 * - Paid: if the callback came from the rail, its receipt and amount count. If its amount cannot be read, the query's
 *   "paid" counts, with the callback's receipt and time (RAIL-9). If it came from elsewhere, only the query's answer
 *   counts.
 * - Declined: the query's decline counts if the rail's own callback declined too and can only be about this collection.
 *   One query's decline alone counts for nothing, and no decline turns a success into a failure.
 */
export function corroborate(
  unverified: UnverifiedCallback,
  answer: Exclude<QueryOutcome, { kind: 'not_asked' }>,
): Corroboration {
  switch (answer.kind) {
    case 'paid':
      return { kind: 'report', report: paidReport(unverified, answer), answer };
    case 'declined':
      return afterDecline(unverified, answer);
    case 'unanswered':
    case 'unresolved':
      return { kind: 'ask_again', why: answer.kind };
  }
}

function paidReport(
  { callback, fromRail }: UnverifiedCallback,
  answer: Extract<SettlingAnswer, { kind: 'paid' }>,
): RailReport {
  const { railReference, verdict } = callback;
  const queried = verdictOf(answer);
  if (!fromRail || verdict.kind !== 'paid') return { by: 'query', railReference, verdict: queried };
  if (!callback.isAmountUnreadable)
    return { by: 'callback', ...callback, fromRail, corroborated: true };
  const { receipt, paidAt } = verdict;
  const told = { ...(receipt && { receipt }), ...(paidAt && { paidAt }) };
  return { by: 'query', railReference, verdict: { ...queried, ...told } };
}

function afterDecline(
  { callback, fromRail, ownReference }: UnverifiedCallback,
  answer: Extract<SettlingAnswer, { kind: 'declined' }>,
): Corroboration {
  if (callback.verdict.kind === 'paid') return { kind: 'ask_again', why: 'query_disagrees' };
  const isOwn = ownReference === callback.railReference;
  const mayBeOwn = isOwn || (fromRail && ownReference === undefined);
  if (!mayBeOwn) return { kind: 'drop', why: 'other_reference' };
  return {
    kind: 'report',
    answer,
    report: fromRail
      ? { by: 'callback', ...callback, verdict: verdictOf(answer), fromRail, corroborated: true }
      : { by: 'query', railReference: callback.railReference, verdict: verdictOf(answer) },
  };
}
