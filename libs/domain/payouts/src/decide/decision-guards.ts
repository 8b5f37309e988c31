import { type Result } from '#domain/kernel';
import { type PayoutRequest } from '../payout.js';
import { type PayoutOrders } from '../ports.js';
import { type ApprovalLimits, type LimitRefusal } from '../request/payout-limits.js';

/** Checks outside a payout's own history before a decision on it. Every method throws DependencyUnavailable. */
export class DecisionGuards {
  constructor(
    private readonly orders: PayoutOrders,
    private readonly limits: ApprovalLimits,
  ) {}

  /** True if the rail was given one of these by the records, whatever the log says (PAY-39). */
  wereGiven(streams: readonly string[]): Promise<boolean> {
    return this.orders.wereGiven(streams);
  }

  /** Counts the payout in its merchant's day, or returns the reason why it may not be approved now (PAY-50). */
  admit(stream: string, request: PayoutRequest): Promise<Result<undefined, LimitRefusal>> {
    return this.limits.admit(stream, request);
  }

  admitBatch(
    ...of: Parameters<ApprovalLimits['admitBatch']>
  ): Promise<Result<undefined, LimitRefusal>> {
    return this.limits.admitBatch(...of);
  }
}
