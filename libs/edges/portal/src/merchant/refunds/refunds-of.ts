import { type Minor } from '#domain/kernel';
import { type TimedStep } from '../transactions/timeline.js';

/** A refund of a collection, as the collection's own events have it. */
export interface ItemRefund {
  /** The reference of the payout that refunds. */
  readonly reference: string;
  readonly amountMinor: Minor;
  readonly state: 'open' | 'paid' | 'released';
}

const states = { refund_asked: 'open', refund_paid: 'paid', refund_ended: 'released' } as const;

/** The refunds in a collection's timeline, each with its latest state, the first one first. */
export function refundsOf(steps: readonly TimedStep[]): readonly ItemRefund[] {
  const found = new Map<string, ItemRefund>();
  for (const { step } of steps)
    if ('payout' in step) {
      const { payout: reference, amountMinor, kind } = step;
      found.set(reference, { reference, amountMinor, state: states[kind] });
    }
  return [...found.values()];
}
