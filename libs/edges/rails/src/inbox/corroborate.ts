import { type QueryOutcome, type RailReport } from '#domain/collections';
import { type Callback } from '../rail-adapter.js';
import { type SettlingAnswer, verdictOf } from '../query/rail-questions.js';

/** What is known about a callback that the collection did not believe at once. */
export interface UnverifiedCallback {
  readonly callback: Callback;
  /** It came from an address of the rail. */
  readonly fromRail: boolean;
  /** The collection's own rail reference, where the push's answer is known. */
  readonly ownReference: string | undefined;
}

/** What to report to the collection, and the rail's answer that it rests on. */
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
 * What may be said to the collection after the rail was asked about the callback's own rail reference (RAIL-2).
 * - Paid: the callback's receipt and amount count if it came from the rail. If its amount cannot be read, the query's "paid"
 *   counts, with the callback's receipt and time (RAIL-9). From elsewhere, only what the query says counts.
 * - Declined: counts where the rail's own callback says so as well and it can only be about this collection. One
 *   query's decline alone counts for nothing, and none turns a success into a failure.
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
