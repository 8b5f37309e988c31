import { ok, refuse, type Result } from '#domain/kernel';
import { type Correction } from '../correction.js';
import { type CorrectionEnd, type CorrectionPosted } from '../correction.events.js';

/**
 * Decides the single posting of a correction. Later confirmations add nothing, and an ended correction is never posted.
 */
export function decidePostCorrection(
  confirmedBy: string,
  state: Correction,
): Result<readonly CorrectionPosted[], 'unknown_correction' | CorrectionEnd> {
  if (state.status === 'none') return refuse('unknown_correction');
  if (state.status === 'posted') return ok([]);
  if (state.status === 'ended') return refuse(state.outcome);
  const { reservationsRevision: _noted, ...terms } = state.proposal;
  return ok([{ type: 'CorrectionPosted', data: { ...terms, confirmedBy } }]);
}
