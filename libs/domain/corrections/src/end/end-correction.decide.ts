import { isSameOperator } from '#domain/reviews';
import { type Instant, ok, refuse, type Result } from '#domain/kernel';
import { type Correction, endsAt } from '../correction.js';
import { type CorrectionEnd, type CorrectionEnded } from '../correction.events.js';

/**
 * `not_proposer`: only the proposer may withdraw it. `not_over`: it may still be confirmed. `already_posted`: only
 * another correction can put it right.
 */
export type EndRefusal = 'unknown_correction' | 'not_proposer' | 'not_over' | 'already_posted';

/** The facts at the end of a correction. */
export interface Ending {
  readonly outcome: CorrectionEnd;
  /** The one who ends it, as `actor.id`. */
  readonly by: string;
  readonly proposedAt: Instant;
  readonly now: Instant;
}

/** Ends a correction that was not confirmed. If it has ended already, nothing is added. */
export function decideEndCorrection(
  { outcome, by, proposedAt, now }: Ending,
  state: Correction,
): Result<readonly CorrectionEnded[], EndRefusal> {
  if (state.status === 'none') return refuse('unknown_correction');
  if (state.status === 'ended') return ok([]);
  if (state.status === 'posted') return refuse('already_posted');
  const { merchantId, mode, proposedBy } = state.proposal;
  if (outcome === 'withdrawn' && !isSameOperator(proposedBy, by)) return refuse('not_proposer');
  if (outcome === 'expired' && now < endsAt(proposedAt)) return refuse('not_over');
  return ok([{ type: 'CorrectionEnded', data: { merchantId, mode, outcome } }]);
}
