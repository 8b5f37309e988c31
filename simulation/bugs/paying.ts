import { type EventStore, type Pipeline, WrongExpectedRevision } from '#domain/event-sourcing';
import { type Ids, ok, refuse, type Result } from '#domain/kernel';
import {
  type PostedCredits,
  type ReservationEvent,
  type ReservationRequest,
  Reservations,
  reservationsStream,
  type StandingReservation,
  standingReservation,
} from '#domain/ledger';
import {
  ConfirmPayout,
  ConfirmPayoutHandler,
  type DecidePayout,
  DecidePayoutHandler,
  type Payout,
  payoutDecider,
  type PayoutEvent,
  type PayoutOutcome,
  type PayoutRail,
  type PayoutReport,
  PayoutFunds,
  PayoutStopsInLog,
  PromptOrders,
  payoutStream,
  payoutViewOf,
  type RecordedPayout,
  type SendPayout,
  SendPayoutHandler,
} from '#domain/payouts';
import { invariants } from '../oracle/invariants.js';
import { keyring } from '../processes/parts.js';
import { SimulatedPayoutLine } from '../servers/payout-line.js';
import { type Bug } from './bug.js';

type Of<Handler extends abstract new (...args: never) => unknown> = ConstructorParameters<Handler>;

class OrdersAgain extends SimulatedPayoutLine {
  override async pay(order: Parameters<SimulatedPayoutLine['pay']>[0]): Promise<PayoutOutcome> {
    const outcome = await super.pay(order);
    return outcome.kind === 'unknown' ? super.pay(order) : outcome;
  }
}

class TimeoutsRefuse extends SimulatedPayoutLine {
  override async pay(order: Parameters<SimulatedPayoutLine['pay']>[0]): Promise<PayoutOutcome> {
    const outcome = await super.pay(order);
    return outcome.kind === 'unknown' ? { kind: 'refused', failureCode: 'timeout' } : outcome;
  }
}

/** Also sends payouts that were started, as if the process that started them had died before sending. */
class StartedIsSent extends SendPayoutHandler {
  constructor(
    private readonly parts: { pipeline: Pipeline; rail: PayoutRail },
    ...of: Of<typeof SendPayoutHandler>
  ) {
    super(...of);
  }

  override async execute(command: SendPayout) {
    const { pipeline, rail } = this.parts;
    const stream = payoutStream(command.key);
    const { state } = await pipeline.load({ decider: payoutDecider, stream });
    if (state.status !== 'started' || state.conversationId !== undefined)
      return super.execute(command);
    const { channel, mode, amountMinor } = state.request;
    const { originatorConversationId } = state;
    const order = { channel, mode, stream, originatorConversationId, amountMinor };
    await rail.pay({ ...order, phone: '254700000101' });
    return ok('sent' as const);
  }
}

/** Sends whatever people have stopped. */
class Unstopped extends PayoutStopsInLog {
  override async of(payout: Parameters<PayoutStopsInLog['of']>[0]) {
    return { ...(await super.of(payout)), isPaused: false, isBatchCancelled: false };
  }
}

/** Changes a report before it is evaluated. */
class Credulous extends ConfirmPayoutHandler {
  constructor(
    private readonly believe: (report: PayoutReport, state: Payout) => PayoutReport,
    private readonly steps: Pipeline,
    ...of: Of<typeof ConfirmPayoutHandler> extends [unknown, ...infer Rest] ? Rest : never
  ) {
    super(steps, ...of);
  }

  override async execute({ key, report, metadata }: ConfirmPayout) {
    const stream = payoutStream(key);
    const { state } = await this.steps.load({ decider: payoutDecider, stream });
    return super.execute(new ConfirmPayout(key, this.believe(report, state), metadata));
  }
}

/** Treats a failed payout as final, and ignores the rail's later reports. */
class FailedForGood extends ConfirmPayoutHandler {
  constructor(
    private readonly steps: Pipeline,
    ...of: Of<typeof ConfirmPayoutHandler> extends [unknown, ...infer Rest] ? Rest : never
  ) {
    super(steps, ...of);
  }

  override async execute(command: ConfirmPayout) {
    const stream = payoutStream(command.key);
    const { state } = await this.steps.load({ decider: payoutDecider, stream });
    return state.status === 'failed' ? ok(payoutViewOf(state)) : super.execute(command);
  }
}

/** Approves a payout that it should not. */
export abstract class HeedlessApproval extends DecidePayoutHandler {
  constructor(
    private readonly steps: Pipeline,
    ...of: Of<typeof DecidePayoutHandler> extends [unknown, ...infer Rest] ? Rest : never
  ) {
    super(steps, ...of);
  }

  override async execute(command: DecidePayout) {
    const { key, decision, metadata } = command;
    const { holder, verdict } = decision;
    const step = { decider: payoutDecider, stream: payoutStream(key), metadata };
    if (verdict === 'reject') return super.execute(command);
    const done = await this.steps.run<Payout, PayoutEvent, never>(step, (state) => {
      if (state.status !== 'reserved' || !this.approves(state, holder)) return ok([]);
      const { amountMinor, phoneHmac = '' } = state.request;
      return ok([{ type: 'PayoutApproved', data: { holder, amountMinor, phoneHmac } }]);
    });
    return done.ok && done.value.appended
      ? ok({ view: payoutViewOf(done.value.state) })
      : super.execute(command);
  }

  protected abstract approves(state: RecordedPayout, holder: string): boolean;
}

/** Accepts every holder's approval. */
class AnyHolder extends HeedlessApproval {
  protected override approves(): boolean {
    return true;
  }
}

/** Checks a demand against the total that it read first, even if other demands were served since. */
class StaleTotal extends Reservations {
  constructor(
    private readonly log: EventStore,
    private readonly view: PostedCredits,
    private readonly names: Ids,
  ) {
    super(log, view, names);
  }

  override async reserve(
    request: ReservationRequest,
  ): Promise<Result<StandingReservation, 'insufficient_funds'>> {
    const { wallet, source, since, amountMinor, mayOverdraw, metadata } = request;
    const { availableMinor } = await this.availableIn(wallet);
    const stream = reservationsStream(wallet);
    for (;;) {
      const events = await this.log.readStream<ReservationEvent>(stream, since);
      const standing = standingReservation(events, source);
      if (standing) return ok(standing);
      if (!mayOverdraw && amountMinor > availableMinor) return refuse('insufficient_funds');
      const last = events.at(-1);
      const totalMinor = (last?.data.totalMinor ?? 0n) + amountMinor;
      const data = { source, amountMinor, totalMinor };
      const event = { type: 'FundsReserved' as const, data };
      const noted = { ...metadata, v: 1 };
      const id = this.names.next();
      try {
        const expected = last?.revision ?? 'no_stream';
        const { revision } = await this.log.append(stream, expected, [
          { id, event, metadata: noted },
        ]);
        return ok({ id, data, metadata: noted, revision });
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
      }
    }
  }
}

/** Reserves a late success under the payout's own source. */
class OneSource extends Reservations {
  override reserve(request: ReservationRequest) {
    return super.reserve({ ...request, source: request.source.replace(/~late$/, '') });
  }
}

/** Releases money though its payment is not over. */
class ReleasesLate extends Reservations {
  override async reserve(request: ReservationRequest) {
    const reserved = await super.reserve(request);
    if (reserved.ok && request.source.endsWith('~late')) await this.release(request);
    return reserved;
  }
}

/** Takes the log's word for it that nothing was sent. */
class LogAlone extends PayoutFunds {
  override wasGiven(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

const believing =
  (believe: (report: PayoutReport, state: Payout) => PayoutReport): Bug['parts'] =>
  () => ({
    reports: ({ pipeline, funds, phones }) => new Credulous(believe, pipeline, funds, phones),
  });

export const payingBugs: readonly Bug[] = [
  {
    name: 'order-sent-again',
    does: 'an order for a payout whose answer did not come in time is sent again',
    breaks: [invariants.oneOrder],
    parts: (_standard, { payoutRail }) => ({
      payoutLine: (life) => new OrdersAgain(life, payoutRail, keyring),
    }),
  },
  {
    name: 'started-is-sent',
    does: 'a payout that was started is sent, though the process that started it may have sent it',
    breaks: [invariants.oneOrder],
    parts: () => ({
      sending: ({ pipeline, settlement, rail, phones, clock, age }) =>
        new StartedIsSent(
          { pipeline, rail },
          pipeline,
          settlement,
          new PromptOrders(rail, clock, phones),
          new PayoutStopsInLog(pipeline, age),
        ),
    }),
  },
  {
    name: 'stops-ignored',
    does: 'a payout is sent though an operator has paused payouts or its batch was cancelled',
    breaks: [invariants.pausedIsNotSent, invariants.cancelledIsNotSent],
    parts: (_standard, { views }) => {
      // The sender asks the view first: it, too, has no pauses.
      views.payouts.applyPause = () => undefined;
      return {
        sending: ({ pipeline, settlement, rail, phones, clock, age }) =>
          new SendPayoutHandler(
            pipeline,
            settlement,
            new PromptOrders(rail, clock, phones),
            new Unstopped(pipeline, age),
          ),
      };
    },
  },
  {
    name: 'timeout-releases',
    does: 'an order whose answer did not come in time fails the payout and frees its funds',
    breaks: [invariants.failedByTheRail],
    parts: (_standard, { payoutRail }) => ({
      payoutLine: (life) => new TimeoutsRefuse(life, payoutRail, keyring),
    }),
  },
  {
    name: 'payout-fails-at-first-query',
    does: 'a query that says "failed" fails a payout though no other has said so',
    breaks: [invariants.declineIsRepeated],
    parts: believing((report) => (report.by === 'query' ? { ...report, repeated: true } : report)),
  },
  {
    name: 'anybodys-result',
    does: 'a result at a payout’s address is believed, from any sender',
    breaks: [invariants.payoutsMatchTheRail, invariants.failedByTheRail],
    parts: believing((report) => ({ ...report, isTrusted: true })),
  },
  {
    name: 'result-of-another-order',
    does: 'a result is taken for the payout at whose address it arrived, whatever payment it names',
    breaks: [invariants.payoutsMatchTheRail, invariants.failedByTheRail],
    parts: believing((report, state) =>
      'originatorConversationId' in state
        ? { ...report, originatorConversationId: state.originatorConversationId }
        : report,
    ),
  },
  {
    name: 'late-success-dropped',
    does: 'a failed payout is over, so that a payment that the rail tells later is dropped',
    breaks: [invariants.durableAcknowledgements, invariants.payoutsMatchTheRail],
    parts: () => ({
      reports: ({ pipeline, funds, phones }) => new FailedForGood(pipeline, funds, phones),
    }),
  },
  {
    name: 'same-holder-approves',
    does: 'the holder who asked for a payout may approve it',
    breaks: [invariants.anotherHolder],
    parts: () => ({
      decisions: ({ pipeline, settlement, guards }) => new AnyHolder(pipeline, settlement, guards),
    }),
  },
  {
    name: 'stale-total',
    does: 'two demands that race for a wallet are judged by the same total',
    breaks: [invariants.neverOverdrawn],
    parts: () => ({ reservations: (store, credits, ids) => new StaleTotal(store, credits, ids) }),
  },
  {
    name: 'one-source',
    does: 'a late success is reserved under the payout’s own source, which a decline may still release',
    breaks: [
      invariants.releasedWhenOver,
      invariants.neverOverdrawn,
      invariants.batchReservedWhole,
      // The amount that the decline released is not reserved again, and a late success cannot be refused.
      invariants.noDefect,
    ],
    parts: () => ({ reservations: (store, credits, ids) => new OneSource(store, credits, ids) }),
  },
  {
    name: 'late-success-released',
    does: 'the reservation for a late success is released before it is posted',
    breaks: [invariants.releasedWhenOver],
    parts: () => ({ reservations: (store, credits, ids) => new ReleasesLate(store, credits, ids) }),
  },
  {
    name: 'given-unasked',
    does: 'a payout whose funds went meanwhile is rejected though the records know that the rail was given it',
    breaks: [invariants.givenIsKept],
    parts: () => ({
      funds: (pipeline, reservations, orders) => new LogAlone(pipeline, reservations, orders),
    }),
  },
];
