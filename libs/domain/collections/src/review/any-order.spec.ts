import { feeFor, type FeeSchedule, isBalanced, isReturned } from '#domain/ledger';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  accepted,
  amountMinor,
  declinedReport,
  given,
  intent,
  legsOf,
  paidReport,
  says,
  silent,
  reported,
} from '../../test/histories.js';
import { type Ruling } from '#domain/reviews';
import { type CollectionEvent } from '../collection.events.js';
import { decideReview } from './review.decide.js';

const two = { reason: 'on the statement', proposedBy: 'asha', confirmedBy: 'joseph' };

describe('any order of reports, timeouts and decisions', () => {
  const amounts = fc.constantFrom(1n, 9_999n, amountMinor, 10_001n);
  const reports = fc.oneof(
    fc.record({ receipt: fc.constantFrom('R1', 'R2'), amountMinor: amounts }).map(paidReport),
    fc.constant(says({ kind: 'paid', resultCode: '0' })),
    fc.constant(declinedReport),
  );
  const rulings: fc.Arbitrary<Ruling> = fc.oneof(
    fc
      .record({ receipt: fc.constantFrom('R1', 'R3'), amountMinor: amounts })
      .map((payment) => ({ decision: 'paid' as const, payment })),
    fc
      .constantFrom('paid', 'failed', 'suspense_to_merchant', 'refunded')
      .map((decision) => ({ decision }) as const),
  );
  const steps = fc.array(
    fc.oneof(
      reports.map((report) => ({ report })),
      rulings.map((ruling) => ({ ruling })),
      fc.constant({ timeouts: true }),
    ),
    { maxLength: 14 },
  );
  const fees = fc.record({
    basisPoints: fc.integer({ min: 0, max: 10_000 }),
    flatMinor: fc.bigInt({ min: 0n, max: 20_000n }),
  });

  it('posts at most once, balances, empties the suspense, and never undoes a posting', () => {
    fc.assert(
      fc.property(steps, fees, (sequence, feeSchedule) => {
        let history: CollectionEvent[] = [intent, accepted];
        for (const step of sequence) {
          const state = given(...history);
          if ('report' in step) history = reported(history, step.report);
          else if ('ruling' in step) {
            const decision = decideReview(step.ruling, two, state, feeSchedule);
            if (decision.ok) history.push(...decision.value);
          } else if (state.status === 'pending' && !state.underReview) history.push(silent);
        }
        expectInvariants(history, feeSchedule);
      }),
      { numRuns: 3_000 },
    );
  });

  function expectInvariants(history: readonly CollectionEvent[], feeSchedule: FeeSchedule): void {
    const state = given(...history);
    const moves = history.filter((event) => 'legs' in event.data);
    expect(moves.every((event) => isBalanced(legsOf(event)))).toBe(true);
    expect(moves.every((event) => legsOf(event).every((leg) => leg.amountMinor !== 0n))).toBe(true);
    const postings = moves.filter(
      ({ type, data }) =>
        type === 'WalletPosted' ||
        (type === 'SuspenseResolved' && 'legs' in data && !isReturned(data.legs)),
    );
    expect(postings.length).toBe(state.status === 'completed' ? 1 : 0);
    const sum = (account: string): bigint =>
      moves
        .flatMap((event) => [...legsOf(event)])
        .filter((leg) => leg.account === account)
        .reduce((total, leg) => total + leg.amountMinor, 0n);
    expect(sum('suspense')).toBe(state.status === 'in_suspense' ? state.arrivedMinor : 0n);
    if (state.status !== 'completed') expect(sum('wallet:1001')).toBe(0n);
    if (state.status === 'refunded') expect(sum('rail-clearing:mpesa')).toBe(0n);
    if (state.status === 'in_suspense') expect(state.underReview).toBe(true);
    if (state.status === 'completed' && postings[0]?.type === 'SuspenseResolved') {
      const fee = feeFor(feeSchedule, state.postedMinor);
      expect(sum('wallet:1001')).toBe(state.postedMinor - fee);
    }
  }
});
