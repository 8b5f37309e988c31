import { Dice } from './core/dice.js';
import {
  cancelsOf,
  decisionsOn,
  firstAskMs,
  type Holder,
  payoutPlanOf,
  type PayoutPlan,
  type PlannedCancel,
  type PlannedDecision,
  type PlannedPayout,
} from './payout-plan.js';

/** Payouts that are requested as one batch. */
export interface PlannedBatch {
  readonly reference: string;
  readonly accountNo: string;
  readonly holder: Holder;
  readonly items: readonly Pick<PlannedPayout, 'reference' | 'amountMinor' | 'phone'>[];
}

/** A request for a batch. The same reference may be requested several times, also with other payouts. */
export interface PlannedBatchAsk {
  readonly label: string;
  readonly batch: PlannedBatch;
  readonly atMs: number;
  readonly api: number;
}

/** The plan of a schedule's payouts, including those in batches. */
export interface PayoutsPlan extends PayoutPlan {
  readonly batches: readonly PlannedBatch[];
  readonly batchAsks: readonly PlannedBatchAsk[];
  readonly batchDecisions: readonly PlannedDecision[];
  readonly batchCancels: readonly PlannedCancel[];
  /** Payouts that the rail was given in a history that the log has lost. */
  readonly lost: ReadonlySet<string>;
  /** Attempts to decide a payout of a batch on its own. */
  readonly itemDecisions: readonly PlannedDecision[];
}

/** Half of the schedules with payouts have batches, on the same accounts and at the same time. */
export function payoutsPlanOf(seed: number): PayoutsPlan {
  const planned = payoutPlanOf(seed);
  const { payouts } = planned;
  const dice = new Dice(seed, 'payout batches');
  const batches =
    payouts.length > 0 && dice.chance(0.5)
      ? Array.from({ length: dice.pick([1, 1, 2]) }, (_, index) =>
          batchOf(seed, `b${index + 1}`, payouts),
        )
      : [];
  const lost = lostOf(seed, payouts, batches);
  return {
    ...withRival(seed, planned, lost),
    batches,
    lost,
    batchAsks: batches.flatMap((batch) => asksFor(seed, batch)),
    batchDecisions: batches.flatMap((batch) => decisionsOn(seed, batch)),
    batchCancels: batches.flatMap((batch) => cancelsOf(seed, batch)),
    itemDecisions: batches.flatMap(({ items, holder }) =>
      items
        .filter(({ reference }) => new Dice(seed, `${reference} alone`).chance(0.15))
        .flatMap(({ reference }) => decisionsOn(seed, { reference, holder })),
    ),
  };
}

/**
 * Loses orders in one of seven schedules. A batch that is kept for one of its payouts ends only by operators, so none of
 * those is lost.
 */
function lostOf(
  seed: number,
  payouts: readonly PlannedPayout[],
  batches: readonly PlannedBatch[],
): ReadonlySet<string> {
  const dice = new Dice(seed, 'lost orders');
  if (!dice.chance(0.15)) return new Set();
  const batched = new Set(batches.flatMap(({ items }) => items.map(({ reference }) => reference)));
  const alone = payouts.filter(({ reference }) => !batched.has(reference));
  return new Set(alone.filter(() => dice.chance(0.6)).map(({ reference }) => reference));
}

/**
 * In most of the schedules with lost orders, another payout is requested at the same moment, and the wallet has enough for
 * either of the two, but not for both. The funds for one are taken between its request and its reservation.
 */
function withRival(seed: number, plan: PayoutPlan, lost: ReadonlySet<string>): PayoutPlan {
  const dice = new Dice(seed, 'a rival of a lost order');
  const given = plan.payouts.find(({ reference }) => lost.has(reference));
  const rival = plan.payouts.find(({ reference }) => reference !== given?.reference);
  if (!given || !rival || !dice.chance(0.8)) return plan;
  const { accountNo, amountMinor } = given;
  const laterMs = firstAskMs(seed, given.reference) - firstAskMs(seed, rival.reference);
  const asRival = (payout: PlannedPayout): PlannedPayout =>
    payout.reference === rival.reference ? { ...payout, accountNo, amountMinor } : payout;
  return {
    ...plan,
    payouts: plan.payouts.map(asRival),
    asks: plan.asks.map((ask) =>
      ask.payout.reference === rival.reference
        ? { ...ask, payout: asRival(ask.payout), atMs: ask.atMs + laterMs + dice.fraction() * 5 }
        : ask,
    ),
    opening: new Map([...plan.opening, [accountNo, 2n * amountMinor - 1n]]),
  };
}

function batchOf(
  seed: number,
  reference: string,
  [first, ...others]: readonly PlannedPayout[],
): PlannedBatch {
  const dice = new Dice(seed, `batch ${reference}`);
  // Sometimes a single payout, or one of another batch, has the reference of one of this batch's payouts.
  const taken = [first?.reference ?? 'p1', ...others.map((one) => one.reference), 'b1-2'] as const;
  const names = Array.from({ length: dice.between(1, 4) }, (_, index) =>
    dice.chance(0.08) ? dice.pick(taken) : `${reference}-${index + 1}`,
  );
  return {
    reference,
    accountNo: first?.accountNo ?? '1001',
    holder: dice.pick(['asha', 'asha', 'joseph', 'till']),
    items: [...new Set(names)].map((name) => ({
      reference: name,
      amountMinor: BigInt(dice.between(1, 25)) * 100n,
      phone: `25470000010${dice.between(1, 3)}`,
    })),
  };
}

/** Merchants repeat themselves, and sometimes request other payouts under the same reference. */
function asksFor(seed: number, batch: PlannedBatch): PlannedBatchAsk[] {
  const { reference } = batch;
  const dice = new Dice(seed, `asks for ${reference}`);
  const firstMs = firstAskMs(seed, reference);
  return Array.from({ length: dice.pick([1, 1, 2, 2, 3]) }, (_, index) => ({
    label: `ask ${index + 1} for ${reference}`,
    batch: index > 0 && dice.chance(0.25) ? otherBody(batch, dice) : batch,
    atMs: index === 0 ? firstMs : firstMs + dice.fraction() * dice.pick([10, 500, 30_000]),
    api: dice.between(0, 1),
  }));
}

function otherBody(batch: PlannedBatch, dice: Dice): PlannedBatch {
  const [first, ...others] = batch.items;
  if (!first) return batch;
  if (others.length > 0 && dice.chance(0.5)) return { ...batch, items: others };
  return { ...batch, items: [{ ...first, amountMinor: first.amountMinor + 100n }, ...others] };
}
