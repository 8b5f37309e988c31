import { type OpenProposal } from '#domain/reviews';
import { type EventStore, fold, type Pipeline } from '#domain/event-sourcing';
import { ok } from '#domain/kernel';
import { type ReservationEvent, reservationsStream } from '#domain/ledger';
import {
  type ConfirmPayout,
  ConfirmPayoutHandler,
  type ConfirmPayoutReview,
  ConfirmPayoutReviewHandler,
  type Payout,
  payoutDecider,
  type PayoutEvent,
  PayoutSettlement,
  payoutStream,
  payoutViewOf,
  totalOf,
} from '#domain/payouts';
import { invariants } from '../oracle/invariants.js';
import { SimulatedProposals } from '../servers/proposals.js';
import { type Bug } from './bug.js';

type Of<Handler extends abstract new (...args: never) => unknown> = ConstructorParameters<Handler>;
type Settling = Parameters<PayoutSettlement['settle']>;

/** Records what was proposed, but not by whom. */
class Unsigned extends SimulatedProposals {
  override async findOpen(stream: string): Promise<OpenProposal | undefined> {
    const proposal = await super.findOpen(stream);
    return proposal && { ...proposal, proposedBy: 'somebody' };
  }
}

/** Decides "failed" by the state that the proposer saw. */
class AsProposed extends ConfirmPayoutReviewHandler {
  constructor(
    private readonly parts: { steps: Pipeline; kept: Of<typeof ConfirmPayoutReviewHandler>[1] },
    ...of: Of<typeof ConfirmPayoutReviewHandler>
  ) {
    super(...of);
  }

  override async execute(command: ConfirmPayoutReview) {
    const { steps, kept } = this.parts;
    const { key, metadata } = command;
    const stream = payoutStream(key);
    const { state, events } = await steps.load({ decider: payoutDecider, stream });
    const proposal = await kept.findOpen(stream);
    const seen = fold(
      payoutDecider,
      events.filter(({ revision }) => revision <= (proposal?.revision ?? -1n)),
    );
    const isFailed = proposal?.ruling.decision === 'failed' && seen.status === 'started';
    if (!isFailed || state.status === 'started' || proposal.proposedBy === metadata.actor.id)
      return super.execute(command);
    const { id: causationId, reason, proposedBy } = proposal;
    const data = {
      decision: 'failed',
      reason,
      proposedBy,
      confirmedBy: metadata.actor.id,
    } as const;
    const decided: readonly PayoutEvent[] = [
      { type: 'ReviewDecided', data },
      { type: 'RailDeclined', data: { by: 'operator', failureCode: 'not_paid' } },
    ];
    const step = { decider: payoutDecider, stream, metadata: { ...metadata, causationId } };
    await steps.run<Payout, PayoutEvent, never>(step, () => ok(decided));
    return super.execute(command);
  }
}

/** Releases a reservation without checking that it was not released already. */
class ReleasesAgain extends PayoutSettlement {
  constructor(
    private readonly log: EventStore,
    private readonly pipeline: Pipeline,
    private readonly first: PayoutSettlement,
  ) {
    super(...([] as unknown as Of<typeof PayoutSettlement>));
  }

  override async settle(...[step, done]: Settling) {
    const view = await this.first.settle(step, done);
    const { state } = done;
    if (state.status !== 'failed' || state.paidLate) return view;
    const stream = reservationsStream(state.request);
    const last = await this.log.readLast<ReservationEvent>(stream);
    const amountMinor = totalOf(state.request);
    const totalMinor = (last?.data.totalMinor ?? 0n) - amountMinor;
    const event = {
      type: 'ReservationReleased',
      data: { source: step.stream, amountMinor, totalMinor },
    } as const;
    const noted = { ...step.metadata, v: 1 };
    const id = this.pipeline.newId();
    await this.log.append(stream, last?.revision ?? 'no_stream', [{ id, event, metadata: noted }]);
    return view;
  }
}

/** Accepts a decline even after a report of a payment. */
class DeclineWins extends ConfirmPayoutHandler {
  constructor(
    private readonly steps: Pipeline,
    ...of: Of<typeof ConfirmPayoutHandler> extends [unknown, ...infer Rest] ? Rest : never
  ) {
    super(steps, ...of);
  }

  override async execute(command: ConfirmPayout) {
    const done = await super.execute(command);
    const { key, report, metadata } = command;
    const { verdict, by } = report;
    const isDecline = verdict.kind === 'declined' && (by === 'callback' || report.repeated);
    if (!done.ok || !isDecline) return done;
    const { failureCode } = verdict;
    const step = { decider: payoutDecider, stream: payoutStream(key), metadata };
    const failed = await this.steps.run<Payout, PayoutEvent, never>(step, ({ status }) =>
      ok(status === 'started' ? [{ type: 'RailDeclined', data: { by, failureCode } }] : []),
    );
    return failed.ok ? ok(payoutViewOf(failed.value.state)) : done;
  }
}

export const rulingBugs: readonly Bug[] = [
  {
    name: 'proposer-confirms',
    does: 'the proposer of a ruling on a payout is not recorded, so that they may agree to it themselves',
    breaks: [invariants.anotherOperator],
    parts: (_standard, { payouts }) => ({
      proposals: (life) =>
        new Unsigned(life, payouts.proposals, (proposal) => {
          payouts.proposed.set(proposal.id, proposal);
        }),
    }),
  },
  {
    name: 'ruling-as-proposed',
    does: 'a ruling "failed" takes effect as it was proposed, whatever the rail reported since',
    breaks: [invariants.rulingAsSeen],
    parts: () => ({
      rulings: ({ pipeline, proposals, receipts, settlement }) =>
        new AsProposed(
          { steps: pipeline, kept: proposals },
          ...([pipeline, proposals, receipts, settlement] as const),
        ),
    }),
  },
  {
    name: 'ruling-releases-twice',
    does: 'after a ruling "failed" the reservation is released though it was released already',
    breaks: [invariants.releasedWhenOver, invariants.neverOverdrawn],
    parts: () => ({
      rulings: ({ pipeline, store, proposals, receipts, settlement }) =>
        new ConfirmPayoutReviewHandler(
          ...([pipeline, proposals, receipts] as const),
          new ReleasesAgain(store, pipeline, settlement),
        ),
    }),
  },
  {
    name: 'decline-after-payment',
    does: 'a decline releases what is reserved though the rail said that it paid another amount',
    breaks: [invariants.declineAnswersNoPayment],
    parts: () => ({
      reports: ({ pipeline, funds, phones }) => new DeclineWins(pipeline, funds, phones),
    }),
  },
];
