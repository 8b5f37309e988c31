import { isSameOperator } from '#domain/reviews';
import { type Minor, ok, refuse, type Result } from '#domain/kernel';
import { waitsForItsBatch } from '../cancel/cancel-payout.decide.js';
import { isKept } from '../funds/payout-funds.decide.js';
import { boundTo, type Payout, type RecordedPayout } from '../payout.js';
import { type LimitRefusal } from '../request/payout-limits.js';
import { automaticApprover, type PayoutApproved, type PayoutRejected } from '../payout.events.js';

/** A second holder's decision on a payout, with the fields that the request may repeat. */
export interface Decision {
  readonly verdict: 'approve' | 'reject';
  readonly holder: string;
  readonly amountMinor?: Minor;
  readonly phoneHmac?: string;
  /**
   * The number of expired approvals before the decision's request. If more have expired since, it decides nothing
   * (PAY-65). Absent if the request cannot be repeated.
   */
  readonly expiries?: number;
}

/** The decision, with facts from outside the payout's own stream. */
export interface KnownDecision extends Decision {
  /** True if the rail was given it before, whatever the log says: it may be paid, so its money is not released. */
  readonly wasOrdered: boolean;
}

/**
 * The reasons of a refusal.
 * - `same_holder`: the requester may not decide, under any of their credentials.
 * - `unbound_holder`: it is not certain that the approver is another than the requester (PEO-8).
 * - `role_lost`: the approver is a person who has lost the role since the request began (PEO-61).
 * - `amount_differs`, `phone_differs`: the request repeats a field, and its value is not the payout's.
 * - `destination_not_allowed`, `limit_exceeded`: an operator's bounds at the time of the approval (PAY-50).
 */
export type DecisionRefusal =
  | 'unknown_payout'
  | 'same_holder'
  | 'unbound_holder'
  | 'role_lost'
  | 'amount_differs'
  | 'phone_differs'
  | LimitRefusal
  | 'not_pending_approval';

/**
 * Decides for a second holder. The same decision by the same holder adds nothing. It is bound to the payout's own
 * fields.
 */
export function decidePayout(
  decision: KnownDecision,
  state: Payout,
): Result<
  readonly (PayoutApproved | PayoutRejected)[],
  Exclude<DecisionRefusal, 'unbound_holder' | 'role_lost' | LimitRefusal>
> {
  if (state.status === 'none') return refuse('unknown_payout');
  const { request } = state;
  // No holder may pose as the limits that approve a payout automatically.
  if ([request.holder, automaticApprover].some((one) => isSameOperator(one, decision.holder)))
    return refuse('same_holder');
  if (decision.phoneHmac !== undefined && decision.phoneHmac !== request.phoneHmac)
    return refuse('phone_differs');
  if (decision.amountMinor !== undefined && decision.amountMinor !== request.amountMinor)
    return refuse('amount_differs');
  if (isDecidedBy(decision, state)) return ok([]);
  // A payout of a batch is decided with it, until its approval expires (PAY-19).
  if (waitsForItsBatch(state) || state.status !== 'reserved') return refuse('not_pending_approval');
  if (decision.expiries !== undefined && decision.expiries !== state.expiries)
    return refuse('not_pending_approval');
  if (decision.verdict === 'reject' && isKept(decision.wasOrdered, state))
    return refuse('not_pending_approval');
  const { holder } = decision;
  const bound = boundTo(request);
  return ok([
    decision.verdict === 'approve'
      ? { type: 'PayoutApproved', data: { holder, ...bound } }
      : { type: 'PayoutRejected', data: { reason: 'rejected_by_holder', holder, ...bound } },
  ]);
}

/** True if the holder has made the same decision on the payout before. A decision on its batch does not count. */
export function isDecidedBy(
  { verdict, holder }: Pick<Decision, 'verdict' | 'holder'>,
  state: RecordedPayout,
): boolean {
  if (state.request.batch !== undefined && state.lastExpiry === undefined) return false;
  const by = verdict === 'approve' ? approverOf(state) : rejecterOf(state);
  return by !== undefined && isSameOperator(by, holder);
}

function approverOf(state: RecordedPayout): string | undefined {
  return 'approvedBy' in state ? state.approvedBy : undefined;
}

function rejecterOf(state: RecordedPayout): string | undefined {
  // A cancellation is no decision on the request (PAY-45).
  return state.status === 'rejected' && state.reason !== 'cancelled' ? state.rejectedBy : undefined;
}
