import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { type PauseEvent } from '#domain/merchants';
import { type Instant, msFromInstant, type Result } from '#domain/kernel';
import {
  type CancelRefusal,
  type DecidedPayout,
  type DecisionRefusal,
  isCancelled,
  type Payout,
  payoutDecider,
  type PayoutEvent,
  type RequestedPayout,
  type RequestPayoutRefusal,
} from '#domain/payouts';
import { type World } from '../core/world.js';
import { payoutStreamOf } from '../names.js';
import { type PlannedDecision } from '../payout-plan.js';
import { type Fixture } from '../processes/parts.js';
import { type BookedOrder } from '../servers/payout-server.js';
import { BatchOracle } from './batch-oracle.js';
import { invariants } from './invariants.js';
import { RulingOracle } from './ruling-oracle.js';
import { Wallets } from './wallets.js';

const dayMs = 86_400_000;

/** A state that was read before a pause counts for 30 s (PAY-41), and the order itself takes a while. */
const pauseMs = 60_000;

/** Checks payouts: what becomes durable, what is sent to the rail, and the answers to holders. */
export class PayoutOracle {
  readonly wallets: Wallets;
  readonly batches: BatchOracle;
  readonly rulings: RulingOracle;
  readonly #states = new Map<string, Payout>();
  readonly #postings = new Map<string, number>();
  /** The source of the last report that it was paid. */
  readonly #confirmedBy = new Map<string, string>();
  /** The numbers that wallets have paid, by the log. */
  readonly #paidNumbers = new Set<string>();
  /** The day of each payout's last approval. */
  readonly #approvedOn = new Map<string, number>();
  #automaticMinor = 0n;
  #pausedAtMs: number | undefined;

  constructor(
    private readonly world: World,
    private readonly fixture: () => Fixture,
  ) {
    const stateOf = (stream: string): Payout => this.stateOf(stream);
    this.wallets = new Wallets(world, stateOf);
    this.batches = new BatchOracle(world, fixture, stateOf);
    this.rulings = new RulingOracle(world, fixture, stateOf);
  }

  stateOf(stream: string): Payout {
    return this.#states.get(stream) ?? payoutDecider.initial;
  }

  streams(): readonly string[] {
    return [...this.#states.keys()];
  }

  appended(event: RecordedEvent<PayoutEvent>): void {
    const { stream, type } = event;
    const before = this.stateOf(stream);
    const after = fold(payoutDecider, [event], before);
    this.#states.set(stream, after);
    if (before.status === 'completed' && after.status !== 'completed')
      this.#violate(invariants.completedStays, `${stream} is ${after.status} after ${type}`);
    this.rulings.appended(event);
    if (after.status === 'none') return;
    const isRuled = before.status !== 'none' && before.givenBefore === 'decided';
    if (type === 'PayoutRejected' && !isRuled && this.fixture().payouts.lost.has(stream))
      this.#violate(invariants.givenIsKept, `${stream} was ${before.status}`);
    if (type === 'PayoutApproved') {
      this.#approved(event.data.holder, after.request);
      this.#withinDay(stream, event.recordedAt);
    }
    if (type === 'RailDeclined') this.#declined(stream, event.data.by);
    if (type === 'RailConfirmed') this.#confirmedBy.set(stream, event.data.by);
    if (type === 'WalletPosted') this.#posted(stream, event.data.amountMinor, after.request);
  }

  paused({ type }: RecordedEvent<PauseEvent>): void {
    this.#pausedAtMs = type === 'PayoutsPaused' ? this.world.nowMs : undefined;
  }

  /** Checks a holder's answer about a cancellation. */
  cancelled(name: string, reference: string, result: Result<DecidedPayout, CancelRefusal>): void {
    this.world.tell(
      () =>
        `${name} is answered: ${result.ok ? `202 ${result.value.view.status}` : result.refusal}`,
    );
    if (!result.ok) return;
    const stream = payoutStreamOf(reference);
    const state = this.stateOf(stream);
    if (!isCancelled(state) || this.fixture().books.ordersOf(stream).length > 0)
      this.#violate(invariants.cancelledIsNotSent, `${reference} is ${state.status}`);
  }

  /** Checks an order that has reached the rail. */
  ordered({ stream, originatorConversationId }: BookedOrder): void {
    const count = this.fixture().books.ordersOf(stream).length;
    if (count > 1) this.#violate(invariants.oneOrder, `the rail got ${count} for ${stream}`);
    if (this.#pausedAtMs !== undefined && this.world.nowMs - this.#pausedAtMs > pauseMs)
      this.#violate(invariants.pausedIsNotSent, `${stream} is ordered`);
    const state = this.stateOf(stream);
    const own = 'originatorConversationId' in state ? state.originatorConversationId : undefined;
    if (own !== originatorConversationId)
      this.#violate(invariants.startedFirst, `${stream} is ${state.status}`);
  }

  /** Checks a merchant's answer to its request, at the moment at which the API gives it. */
  answered(
    name: string,
    reference: string,
    result: Result<RequestedPayout, RequestPayoutRefusal>,
  ): void {
    this.world.tell(
      () =>
        `${name} is answered: ${result.ok ? `202 ${result.value.view.status}` : result.refusal}`,
    );
    if (result.ok) this.#told(reference, result.value.view.status);
  }

  /** Checks a holder's answer about a decision. */
  decided(
    name: string,
    { reference, holder, verdict }: PlannedDecision,
    result: Result<DecidedPayout, DecisionRefusal>,
  ): void {
    this.world.tell(
      () =>
        `${name} is answered: ${result.ok ? `202 ${result.value.view.status}` : result.refusal}`,
    );
    if (!result.ok) return;
    this.#told(reference, result.value.view.status);
    const stream = payoutStreamOf(reference);
    const state = this.stateOf(stream);
    // It may have been cancelled since, or its approval may have expired.
    const isSo =
      verdict === 'approve'
        ? this.fixture()
            .log.stream(stream)
            .some(({ type }) => type === 'PayoutApproved')
        : 'rejectedBy' in state && !!state.rejectedBy;
    if (!isSo)
      this.#violate(
        invariants.durableAnswers,
        `${holder} was told of an ${verdict} of ${reference}`,
      );
  }

  /** Returns the facts of an applied report that the log lacks. */
  lack(stream: string, body: Buffer): string | undefined {
    if (!body.includes('"ResultCode":0,') || !body.includes('TransactionAmount')) return undefined;
    const state = this.stateOf(stream);
    const isSeen = state.status === 'completed' || this.isReviewed(stream);
    return isSeen ? undefined : `it tells of a payment, and ${stream} is ${state.status}`;
  }

  /** True if a person is, or was, asked to review it. */
  isReviewed(stream: string): boolean {
    return this.fixture()
      .log.stream(stream)
      .some(({ type }) => type === 'ReviewFlagged');
  }

  #approved(holder: string, request: Recorded['request']): void {
    const { terms } = this.fixture().payoutPlan;
    if (holder !== 'automatic') {
      if (holder.toLowerCase() === request.holder.toLowerCase())
        this.#violate(invariants.anotherHolder, `${request.reference} by ${holder}`);
      return;
    }
    this.#automaticMinor += request.amountMinor;
    const isKnown = this.#paidNumbers.has(`${request.accountNo} ${request.phoneHmac}`);
    const isWithin =
      request.amountMinor <= terms.automaticMaxMinor &&
      this.#automaticMinor <= terms.automaticPerDayMinor;
    if (!isKnown || !isWithin)
      this.#violate(invariants.withinLimits, `${request.reference} passed by itself`);
  }

  /**
   * Sums the amounts by the log's days: those that were approved on one, except those that were proven not to have been
   * sent.
   */
  #withinDay(approved: string, recordedAt: Instant): void {
    const { maxMinor, maxPerDayMinor } = this.fixture().payoutPlan.terms;
    const dayOf = (instant: Instant): number => Math.floor(msFromInstant(instant) / dayMs);
    this.#approvedOn.set(approved, dayOf(recordedAt));
    let sum = 0n;
    for (const [stream, state] of this.#states) {
      if (this.#approvedOn.get(stream) !== dayOf(recordedAt)) continue;
      if (state.status === 'none' || state.status === 'rejected' || state.status === 'reserved')
        continue;
      const { amountMinor, reference } = state.request;
      if (maxMinor !== undefined && amountMinor > maxMinor)
        this.#violate(invariants.withinLimits, `${reference} is ${amountMinor}`);
      sum += amountMinor;
    }
    if (maxPerDayMinor !== undefined && sum > maxPerDayMinor)
      this.#violate(invariants.withinLimits, `the day comes to ${sum}`);
  }

  #declined(stream: string, by: 'answer' | 'callback' | 'query' | 'operator'): void {
    if (by === 'operator') return;
    const orders = this.fixture().books.ordersOf(stream);
    const isSaid = {
      // There was no connection, or the rail refused.
      answer: orders.every(({ isRefused }) => isRefused),
      callback: orders.some(({ hasFailed }) => hasFailed),
      query: orders.some(({ declinedQuestions }) => declinedQuestions.size >= 2),
    }[by];
    if (isSaid) return;
    this.#violate(
      by === 'query' ? invariants.declineIsRepeated : invariants.failedByTheRail,
      `${stream} failed by ${by}`,
    );
  }

  #posted(stream: string, amountMinor: bigint, request: Recorded['request']): void {
    const count = (this.#postings.get(stream) ?? 0) + 1;
    this.#postings.set(stream, count);
    if (count > 1) this.#violate(invariants.onePosting, `${stream} has ${count}`);
    this.#paidNumbers.add(`${request.accountNo} ${request.phoneHmac}`);
    const paidMinor = this.fixture().books.paidFor(stream);
    // Operators post the requested amount. If the rail paid more, the rest is a correction.
    const isRuled = this.#confirmedBy.get(stream) === 'operator' && paidMinor > 0n;
    if (paidMinor !== amountMinor && !isRuled)
      this.#violate(
        invariants.payoutsMatchTheRail,
        `${amountMinor} is posted for ${stream}, the rail paid ${paidMinor}`,
      );
  }

  #told(reference: string, status: string): void {
    const state = this.stateOf(payoutStreamOf(reference));
    const isEnd = ['completed', 'rejected', 'failed'].includes(status);
    const isLater = state.status === 'completed' && status === 'failed';
    if (state.status === 'none' || (isEnd && state.status !== status && !isLater))
      this.#violate(invariants.durableAnswers, `${reference} was told ${status}`);
  }

  #violate(...what: Parameters<World['violate']>): void {
    this.world.violate(...what);
  }
}

type Recorded = Exclude<Payout, { readonly status: 'none' }>;
