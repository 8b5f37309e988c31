import { ok, refuse, type Result } from '#domain/kernel';
import { isKept } from '../funds/payout-funds.decide.js';
import { type PayoutRejected } from '../payout.events.js';
import { boundTo, type Payout, type RecordedPayout } from '../payout.js';

/** The cancellation of a payout by a person or system. The requester may cancel, too (PAY-45). */
export interface Cancellation {
  readonly holder: string;
  /** True if the rail was given it by the records, whatever the log says: its money may be gone. */
  readonly wasOrdered: boolean;
}

/**
 * `not_cancellable`: it was given to the rail, or has ended without being cancelled. If a payout waits for its batch's
 * decision, it is cancelled with the batch.
 */
export type CancelRefusal = 'unknown_payout' | 'not_cancellable';

/** Decides the end of a payout that was not given to the rail. If it is cancelled already, nothing is added. */
export function decideCancelPayout(
  { holder, wasOrdered }: Cancellation,
  state: Payout,
): Result<readonly PayoutRejected[], CancelRefusal> {
  if (state.status === 'none') return refuse('unknown_payout');
  if (isCancelled(state)) return ok([]);
  if (!isStoppable(state) || waitsForItsBatch(state) || isKept(wasOrdered, state))
    return refuse('not_cancellable');
  const data = { reason: 'cancelled', holder, ...boundTo(state.request) } as const;
  return ok([{ type: 'PayoutRejected', data }]);
}

export function isCancelled(state: Payout): boolean {
  return state.status === 'rejected' && state.reason === 'cancelled';
}

/** True if the payout was not given to the rail and has not ended. */
export function isStoppable({ status }: Payout): boolean {
  return status === 'requested' || status === 'reserved' || status === 'approved';
}

/**
 * True if the payout is decided with its batch. After an approval, and after that approval expired, it is on its own.
 */
export function waitsForItsBatch(state: RecordedPayout): boolean {
  const { request, status, lastExpiry } = state;
  return request.batch !== undefined && status !== 'approved' && lastExpiry === undefined;
}
