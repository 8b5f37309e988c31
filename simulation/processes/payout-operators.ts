import { type Proposal, ReceiptUse, type Ruling } from '#domain/reviews';
import { WrongExpectedRevision } from '#domain/event-sourcing';
import { DependencyUnavailable, instantFromMs, type Result } from '#domain/kernel';
import {
  ConfirmPayoutReview,
  type ConfirmPayoutReviewHandler,
  isPayoutOpenToPayment,
  OpenPayoutReview,
  OpenPayoutReviewHandler,
  PayoutSettlement,
  ResolvePayoutReview,
  ResolvePayoutReviewHandler,
} from '#domain/payouts';
import { Dice } from '../core/dice.js';
import { Host } from '../core/host.js';
import { type Life } from '../core/life.js';
import { payoutKeyOf, payoutStreamOf } from '../names.js';
import { type Oracle } from '../oracle/oracle.js';
import { SimulatedAllowances } from '../servers/payout-records.js';
import { type BookedOrder } from '../servers/payout-server.js';
import { SimulatedCredits } from '../servers/payout-view-ports.js';
import { SimulatedReceiptClaims, SimulatedReceipts } from '../servers/proposals.js';
import { type Fixture, type Parts } from './parts.js';

const hourMs = 3_600_000;
/** The times at which operators look at items under review. At the last ones there are no more faults. */
const visitsAfterHours = [0.02, 0.1, 0.5, 3, 49, 49.5, 52, 60, 66, 70] as const;
/** The last is the first in another spelling. */
const names = ['asha', 'ben', 'Asha'] as const;

interface Desk {
  readonly resolving: ResolvePayoutReviewHandler;
  readonly opening: OpenPayoutReviewHandler;
  readonly confirming: Pick<ConfirmPayoutReviewHandler, 'execute'>;
}

/** An operator's command. */
type Typed =
  | { readonly does: 'rule'; readonly ruling: Ruling }
  | { readonly does: 'open'; readonly payment: Extract<Ruling, { decision: 'paid' }>['payment'] }
  | { readonly does: 'agree'; readonly id: string | undefined };

/** Two operators who decide on payouts by the rail's own statement, while the rail still reports. */
export class PayoutOperators {
  readonly #desks: readonly Host<Desk>[];

  constructor(
    parts: Parts,
    private readonly fixture: Fixture,
    private readonly oracle: Oracle,
  ) {
    this.#desks = ['left', 'right'].map(
      (side) => new Host(fixture.world, `desk-${side}`, (life) => this.#desk(life, parts)),
    );
  }

  start(): void {
    for (const reference of this.#references())
      for (const hours of visitsAfterHours)
        this.#visit(
          reference,
          `after ${hours} h`,
          (dice) => (hours + dice.fraction() / 20) * hourMs,
        );
  }

  /** Operators also happen to look at about the time of the rail's acts. */
  ordered({ stream, fate }: BookedOrder): void {
    const reference = this.#references().find((one) => payoutStreamOf(one) === stream);
    if (reference === undefined) return;
    for (const [index, { afterMs }] of fate.acts.entries())
      this.#visit(reference, `at act ${index + 1}`, (dice) =>
        Math.max(0, afterMs + (dice.fraction() - 0.6) * dice.pick([5000, 5000, 600_000])),
      );
  }

  #references(): readonly string[] {
    const { payouts, batches } = this.fixture.payoutPlan;
    const asked = [...payouts, ...batches.flatMap(({ items }) => items)];
    return [...new Set(asked.map(({ reference }) => reference))];
  }

  #visit(reference: string, when: string, afterMs: (dice: Dice) => number): void {
    const { world } = this.fixture;
    const dice = new Dice(world.seed, `operators look at payout ${reference} ${when}`);
    const dueMs = world.nowMs + afterMs(dice);
    const run = (): void => {
      this.#look(reference, dice);
    };
    world.scheduler.add({ dueMs, tie: dice.bits(), run });
  }

  #desk(life: Life, parts: Parts): Desk {
    const { views, log, payouts } = this.fixture;
    const ids = parts.ids(life);
    const store = parts.store(life);
    const pipeline = parts.pipeline(store, ids);
    const reservations = parts.reservations(store, new SimulatedCredits(life, views), ids);
    const funds = parts.funds(pipeline, reservations, parts.orders(life));
    const allowances = new SimulatedAllowances(life, payouts);
    const settlement = new PayoutSettlement(funds, parts.phones(life), allowances);
    const proposals = parts.proposals(life);
    const used = new SimulatedReceipts(life, views, log);
    const claims = new SimulatedReceiptClaims(life, payouts.receiptClaims);
    const receipts = new ReceiptUse(store, claims, used);
    const resolving = new ResolvePayoutReviewHandler(pipeline, proposals, used);
    return {
      resolving,
      opening: new OpenPayoutReviewHandler(pipeline, used, resolving),
      confirming: parts.rulings({ pipeline, store, proposals, receipts, settlement }),
    };
  }

  /**
   * Sometimes both propose. Usually the other agrees, soon or late, and sometimes one of them agrees with themselves.
   */
  #look(reference: string, dice: Dice): void {
    const stream = payoutStreamOf(reference);
    const first = dice.between(0, 1);
    const typed = this.#next(stream, dice);
    if (!typed) return;
    this.#type(reference, { desk: first, withinMs: 100, typed }, dice);
    if (dice.chance(0.2)) this.#type(reference, { desk: 1 - first, withinMs: 100, typed }, dice);
    if (typed.does === 'agree' || !dice.chance(0.6)) return;
    const withinMs = dice.pick([500, 10_000, 600_000]);
    const agree = { does: 'agree', id: undefined } as const;
    this.#type(reference, { desk: 1 - first, withinMs, typed: agree }, dice);
  }

  /** @returns undefined if there is nothing to decide */
  #next(stream: string, dice: Dice): Typed | undefined {
    const state = this.oracle.payouts.stateOf(stream);
    if (state.status === 'none') return undefined;
    const open: Proposal | undefined = this.fixture.payouts.proposals.get(stream);
    const payment = this.#onStatement(stream);
    if (!state.underReview) {
      const isFound = payment !== undefined && isPayoutOpenToPayment(state) && dice.chance(0.8);
      return isFound ? { does: 'open', payment } : undefined;
    }
    if (open && dice.chance(0.8))
      return { does: 'agree', id: dice.chance(0.5) ? open.id : undefined };
    if (state.status === 'completed') return { does: 'rule', ruling: { decision: 'paid' } };
    const ruling: Ruling = payment ? { decision: 'paid', payment } : { decision: 'failed' };
    return { does: 'rule', ruling };
  }

  /** Returns what the rail's own statement shows now. A payout is posted as requested, whatever the rail paid. */
  #onStatement(stream: string) {
    const order = this.fixture.books.ordersOf(stream).find((one) => one.paidAtMs !== undefined);
    if (order?.paidAtMs === undefined) return undefined;
    const paidAt = instantFromMs(Math.floor(order.paidAtMs));
    return { receipt: order.receipt, amountMinor: order.amountMinor, paidAt };
  }

  #type(
    reference: string,
    { desk, withinMs, typed }: { desk: number; withinMs: number; typed: Typed },
    dice: Dice,
  ): void {
    const host = this.#desks[desk];
    const name = desk === 0 ? dice.pick([names[0], names[0], names[2]]) : names[1];
    // Rarely, the person at the other desk is the same one.
    const who = dice.chance(0.1) ? names[0] : name;
    const [delayMs, tie] = [dice.fraction() * withinMs, dice.bits()];
    const run = (): void => {
      if (host && !host.life.isOver) void this.#command(host.program, who, { reference, typed });
    };
    const { world } = this.fixture;
    world.scheduler.add({ dueMs: world.nowMs + delayMs, tie, run });
  }

  async #command(
    desk: Desk,
    name: string,
    { reference, typed }: { reference: string; typed: Typed },
  ): Promise<void> {
    const key = payoutKeyOf(reference);
    const actor = { kind: 'operator', id: name } as const;
    const correlationId = `${name} at payout ${reference}`;
    const metadata = { correlationId, actor, reason: 'by the statement' };
    const execute = (): Promise<Result<unknown, string>> => {
      if (typed.does === 'agree')
        return desk.confirming.execute(new ConfirmPayoutReview(key, typed.id, metadata));
      if (typed.does === 'rule')
        return desk.resolving.execute(new ResolvePayoutReview(key, typed.ruling, metadata));
      const { payment } = typed;
      if (!payment) throw new TypeError('a review is opened with the payment that was found');
      return desk.opening.execute(new OpenPayoutReview(key, payment, metadata));
    };
    try {
      const done = await execute();
      const what = typed.does === 'rule' ? `rules ${typed.ruling.decision}` : `${typed.does}s`;
      this.fixture.world.tell(
        () => `${name} ${what} on ${reference}: ${done.ok ? 'done' : done.refusal}`,
      );
    } catch (error) {
      const isExpected =
        error instanceof DependencyUnavailable || error instanceof WrongExpectedRevision;
      if (!isExpected) this.oracle.defect(`${name} at payout ${reference}: ${String(error)}`);
    }
  }
}
