import { type Done, type Pipeline, type Step } from '#domain/event-sourcing';
import { assertNever, type Minor, ok } from '#domain/kernel';
import { type Reservations, type Wallet } from '#domain/ledger';
import { payoutDecider } from '../payout.evolve.js';
import {
  type FailedPayout,
  type Payout,
  type Rejected,
  type Requested,
  totalOf,
  walletOf,
} from '../payout.js';
import { lateSourceOf, type PayoutEvent } from '../payout.events.js';
import { RefundClaims } from '../refund/refund-claims.js';
import { type PayoutOrders } from '../ports.js';
import { decideKeepGiven, decidePostLate, decideReservation } from './payout-funds.decide.js';

type PayoutStep = Step<Payout, PayoutEvent>;

/**
 * The process manager between a payout's stream and its wallet's reservations (PAY-5). The two streams are appended
 * separately, so a crash may leave one without the other. The next process, by the same command again or the worker,
 * reads the state and takes the missing step. Every step is taken once, even if several processes take it at the same
 * time.
 *
 * - Reservation: PayoutRequested, FundsReserved, PayoutReserved (or PayoutRejected if the funds went away meanwhile).
 * - Release: PayoutRejected or RailDeclined, ReservationReleased.
 * - Late success: RailConfirmed, release of the declined reservation, FundsReserved under a separate source whatever is
 *   available, WalletPosted. With one source for both, a release that was decided before the success, and reaches the
 *   log after it, would free money that is gone.
 */
export class PayoutFunds {
  private readonly refunds: RefundClaims;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly reservations: Reservations,
    private readonly orders: PayoutOrders,
  ) {
    this.refunds = new RefundClaims(pipeline);
  }

  /**
   * True if the records know that the rail was given the payout. Checked before a payout is rejected, or its money
   * released, as never sent (PAY-61).
   * @throws DependencyUnavailable
   */
  wasGiven(stream: string): Promise<boolean> {
    return this.orders.wereGiven([stream]);
  }

  /**
   * Lists a payout for review that the rail was given, whatever the log says.
   * @throws EventStoreUnavailable
   */
  keepGiven(step: PayoutStep, before: Done<Payout>): Promise<Done<Payout>> {
    return this.append(step, before, decideKeepGiven);
  }

  /**
   * Returns the amount available in the wallet now, and the revision of its reservations to record in the request.
   * @param enoughMinor the most that the request takes; more need not be read
   * @throws EventStoreUnavailable, DependencyUnavailable
   */
  availableIn(wallet: Wallet, enoughMinor: Minor): ReturnType<Reservations['availableIn']> {
    return this.reservations.availableIn(wallet, enoughMinor);
  }

  /**
   * Takes every step that the payout's state lacks.
   * @param before the state, as just read or written
   * @throws EventStoreUnavailable, DependencyUnavailable
   */
  async settle(step: PayoutStep, before: Done<Payout>): Promise<Done<Payout>> {
    const { state } = before;
    switch (state.status) {
      case 'requested':
        // `PayoutBatches` reserves a batch as a whole.
        return state.request.batch === undefined ? this.reserve(step, before, state) : before;
      case 'rejected':
        return this.releaseRejected(step, before, state);
      case 'failed':
        await this.release(step, state);
        return state.paidLate ? this.postLate(step, before, state) : before;
      case 'completed':
        await this.refunds.end(state.request, 'paid', step.metadata);
        return before;
      case 'none':
      case 'reserved':
      case 'approved':
      case 'started':
        return before;
      default:
        return assertNever(state);
    }
  }

  private async reserve(
    step: PayoutStep,
    before: Done<Payout>,
    state: Requested,
  ): Promise<Done<Payout>> {
    const amountMinor = totalOf(state.request);
    const demand = { ...sourceOf(step.stream, state), amountMinor, mayOverdraw: false };
    const funds = await this.reservations.reserve({ ...demand, metadata: step.metadata });
    const claim = funds.ok ? await this.refunds.reserve(state.request, step.metadata) : funds;
    const reserved = claim.ok ? funds : claim;
    const wasGiven = !reserved.ok && (await this.wasGiven(step.stream));
    const cause = funds.ok ? { causationId: funds.value.id } : {};
    const done = await this.append(
      { ...step, metadata: { ...step.metadata, ...cause } },
      before,
      (current) => decideReservation(reserved, wasGiven, current),
    );
    // Another process may have rejected it during the reservation.
    return done.state.status === 'rejected' ? this.releaseRejected(step, done, done.state) : done;
  }

  /**
   * A payout that the rail was given keeps its money until operators have decided, because it may be paid, whatever
   * rejected it.
   */
  private async releaseRejected(
    step: PayoutStep,
    before: Done<Payout>,
    state: Rejected,
  ): Promise<Done<Payout>> {
    const { givenBefore } = state;
    if (givenBefore === 'listed') return before;
    if (givenBefore === undefined && (await this.wasGiven(step.stream))) {
      const { wallet, source, since } = sourceOf(step.stream, state);
      const isHeld =
        (await this.reservations.find(wallet, source, since)) !== undefined ||
        (await this.refunds.isOpen(state.request));
      return isHeld ? this.keepGiven(step, before) : before;
    }
    await this.release(step, state);
    return before;
  }

  /** The claim of a failed refund that is known to be paid is not released: it ends as paid (REF-7). */
  private async release(step: PayoutStep, state: Rejected | FailedPayout): Promise<void> {
    await this.reservations.release({ ...sourceOf(step.stream, state), metadata: step.metadata });
    if (state.status === 'failed' && state.paidLate) return;
    await this.refunds.end(state.request, 'released', step.metadata);
  }

  private async postLate(
    step: PayoutStep,
    before: Done<Payout>,
    state: FailedPayout,
  ): Promise<Done<Payout>> {
    const reserved = await this.reservations.reserve({
      ...sourceOf(step.stream, state),
      source: lateSourceOf(step.stream),
      amountMinor: totalOf(state.request),
      mayOverdraw: true,
      metadata: step.metadata,
    });
    if (!reserved.ok)
      throw new TypeError('a payment by the rail is reserved whatever is available');
    const metadata = { ...step.metadata, causationId: reserved.value.id };
    const posted = await this.append({ ...step, metadata }, before, decidePostLate);
    await this.refunds.end(state.request, 'paid', step.metadata);
    return posted;
  }

  private async append(
    step: PayoutStep,
    before: Done<Payout>,
    decide: (state: Payout) => readonly PayoutEvent[],
  ): Promise<Done<Payout>> {
    const done = await this.pipeline.run<Payout, PayoutEvent, never>(
      step,
      (state) => ok(decide(state)),
      before,
    );
    return done.ok ? done.value : assertNever(done.refusal);
  }
}

function sourceOf(stream: string, { request }: Requested | Rejected | FailedPayout) {
  const { reservationsRevision } = request;
  const since = reservationsRevision === undefined ? undefined : BigInt(reservationsRevision);
  return { wallet: walletOf(request), source: stream, since };
}

/** Returns the step on the payout's stream with this metadata. */
export function payoutStep(stream: string, metadata: PayoutStep['metadata']): PayoutStep {
  return { decider: payoutDecider, stream, metadata };
}
