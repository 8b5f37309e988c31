import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { type Proposal, type ReviewSubject } from '#domain/reviews';
import { payoutStep } from '../funds/payout-funds.js';
import { payoutDecider } from '../payout.evolve.js';
import { type PayoutEvent, type PayoutKey, payoutKeyOf, payoutStream } from '../payout.events.js';
import { type Payout } from '../payout.js';
import {
  checkPayoutRuling,
  decidePayoutReview,
  type PayoutRulingRefusal,
} from './payout-review.decide.js';
import { type PayoutSettlement } from './payout-settlement.js';

type PayoutReview<Refusal extends string = PayoutRulingRefusal> = ReviewSubject<
  Payout,
  PayoutEvent,
  Refusal
>;

/** A payout as a subject of the review protocol, to propose a ruling on it. */
export function payoutReview(key: PayoutKey): PayoutReview {
  return {
    mode: key.mode,
    decider: payoutDecider,
    stream: payoutStream(key),
    check: checkPayoutRuling,
    sibling: (stream) => {
      const other = payoutKeyOf(stream);
      return other && payoutReview(other);
    },
    decide: (ruling, deciders, state) =>
      Promise.resolve(decidePayoutReview(ruling, deciders, state)),
    hasChanged: (proposal, { state, events }) => statusSeenBy(proposal, events) !== state.status,
  };
}

/** The same, to confirm a proposal: the decision also settles the reservation and the records. */
export function settledPayoutReview(
  key: PayoutKey,
  settlement: PayoutSettlement,
): PayoutReview<PayoutRulingRefusal | 'given_before'> {
  return {
    ...payoutReview(key),
    // A payout that was never sent ends without a report of the rail, so the records are checked first.
    contradicted: async ({ id, stream }, before, { correlationId, actor }) => {
      if (before.state.status !== 'approved') return undefined;
      const step = payoutStep(stream, { correlationId, actor, causationId: id });
      return (await settlement.keepsGiven(step, before)) ? 'given_before' : undefined;
    },
    settle: (step, done) => settlement.settle(step, done),
  };
}

/**
 * Returns the payout's status when the proposal was made. "Failed" means something else for a payout that was not sent
 * than for one that was. If it was sent meanwhile and is under review again, it needs a new proposal.
 */
function statusSeenBy(
  { revision }: Proposal,
  events: readonly RecordedEvent<PayoutEvent>[],
): Payout['status'] {
  const seen = events.filter((event) => revision === undefined || event.revision <= revision);
  return fold(payoutDecider, seen).status;
}
