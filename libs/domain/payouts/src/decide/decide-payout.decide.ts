import { isSameOperator } from '#domain/collections';
import { type Minor, ok, refuse, type Result } from '#domain/kernel';
import { waitsForItsBatch } from '../cancel/cancel-payout.decide.js';
import { isKept } from '../funds/payout-funds.decide.js';
import { type Payout, type RecordedPayout } from '../payout.js';
import { type LimitRefusal } from '../request/payout-limits.js';
import { automaticApprover, type PayoutApproved, type PayoutRejected } from '../payout.events.js';

/** What a second holder says of a payout, with what the request may repeat of it. */
export interface Decision {
  readonly verdict: 'approve' | 'reject';
  readonly holder: string;
  readonly amountMinor?: Minor;
  readonly phoneHmac?: string;
}

/** With what is known beyond the payout's own stream. */
export interface KnownDecision extends Decision {
  /** The rail was given it before, whatever the log says: it may be paid, and its money is not given back. */
  readonly wasOrdered: boolean;
}

/**
 * `same_holder`: who asked decides nothing, under any credential of theirs. `unbound_holder`: it is not known that who
 * approves is another than who asked (PEO-8). `amount_differs`, `phone_differs`: the request repeats a field, and it is not
 * the payout's. `destination_not_allowed`, `limit_exceeded`: an operator's bounds, as of the approval (PAY-50).
 */
export type DecisionRefusal =
  | 'unknown_payout'
  | 'same_holder'
  | 'unbound_holder'
  | 'amount_differs'
  | 'phone_differs'
  | LimitRefusal
  | 'not_pending_approval';

/** A second holder's decision; the same by the same holder again adds nothing. It is bound to the payout's own fields. */
export function decidePayout(
  decision: KnownDecision,
  state: Payout,
): Result<
  readonly (PayoutApproved | PayoutRejected)[],
  Exclude<DecisionRefusal, 'unbound_holder' | LimitRefusal>
> {
  if (state.status === 'none') return refuse('unknown_payout');
  const { request } = state;
  // Nobody may pass for the limits that let a payout through alone.
  if ([request.holder, automaticApprover].some((one) => isSameOperator(one, decision.holder)))
    return refuse('same_holder');
  if (decision.phoneHmac !== undefined && decision.phoneHmac !== request.phoneHmac)
    return refuse('phone_differs');
  if (decision.amountMinor !== undefined && decision.amountMinor !== request.amountMinor)
    return refuse('amount_differs');
  if (isDecidedBy(decision, state)) return ok([]);
  // A payout of a batch is decided with it, until its approval expires (PAY-19).
  if (waitsForItsBatch(state) || state.status !== 'reserved') return refuse('not_pending_approval');
  if (decision.verdict === 'reject' && isKept(decision.wasOrdered, state))
    return refuse('not_pending_approval');
  const { holder } = decision;
  const bound = { amountMinor: request.amountMinor, phoneHmac: request.phoneHmac };
  return ok([
    decision.verdict === 'approve'
      ? { type: 'PayoutApproved', data: { holder, ...bound } }
      : { type: 'PayoutRejected', data: { reason: 'rejected_by_holder', holder, ...bound } },
  ]);
}

/** Whether the holder has decided the payout so before; who decided its batch has not. */
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
  // Who cancelled it has not decided on what was asked for (PAY-45).
  return state.status === 'rejected' && state.reason !== 'cancelled' ? state.rejectedBy : undefined;
}
