import { type Failure } from '../errors/failure.js';
import { type Outcome } from './exchange.js';
import { type Answer } from './read-answer.js';

/** A refund of a collection is a payout. */
function codeOf(path: string): string {
  if (path === '/api/v4/payout-batches') return 'different_payout_batch';
  const isPayout = path === '/api/v4/payouts' || path.endsWith('/refund');
  return isPayout ? 'different_payout' : 'different_collection';
}

/**
 * Makes a failure of an answer about an earlier item that differs from the requested one (SDK-5). Its status does not
 * answer the request, so a caller must not take it for the request's.
 */
export function unlessDifferent(path: string, outcome: Outcome<Answer>): Outcome<Answer> {
  if (!outcome.ok || outcome.value.differs.length === 0) return outcome;
  const { body, differs, ...facts } = outcome.value;
  const failure = {
    code: codeOf(path),
    kind: 'refused',
    reference: body['reference'],
    differs,
    existing: { ...body, ...facts },
  };
  // The service's document has these members for each path.
  return { ok: false, failure: failure as unknown as Failure };
}
