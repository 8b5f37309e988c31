import { type PayoutTerms } from '#domain/payouts';
import { Dice } from './core/dice.js';
import { accountNos } from './names.js';

/** The persons and systems with the merchant's credentials. The last is the first in another spelling. */
const holders = ['asha', 'joseph', 'till', 'Asha'] as const;
export type Holder = (typeof holders)[number];

export interface PlannedPayout {
  readonly reference: string;
  readonly accountNo: string;
  readonly amountMinor: bigint;
  readonly phone: string;
  readonly holder: Holder;
}

/** A request for a payout. The same reference may be requested several times, also with another amount. */
export interface PlannedAsk {
  readonly label: string;
  readonly payout: PlannedPayout;
  readonly atMs: number;
  readonly api: number;
}

/** A holder's decision on a payout or a batch. */
export interface PlannedDecision {
  readonly label: string;
  readonly reference: string;
  readonly holder: Holder;
  readonly verdict: 'approve' | 'reject';
  readonly atMs: number;
  readonly api: number;
}

/** A cancellation of a payout or a batch by one person. */
export interface PlannedCancel {
  readonly label: string;
  readonly reference: string;
  readonly holder: Holder;
  readonly atMs: number;
  readonly api: number;
}

/** An operator's pause of all payouts, or its end. */
export interface PlannedPause {
  readonly label: string;
  readonly isOver: boolean;
  readonly atMs: number;
  readonly api: number;
}

/** A result that the rail never sent. */
export interface ForgedResult {
  readonly label: string;
  /** Time after the order that the address belongs to. */
  readonly afterMs: number;
  readonly api: number;
  /** The payout whose address an untrusted sender obtained. */
  readonly addressOf: string;
  /** The payout whose payment it names. */
  readonly payment: string;
  readonly isPaid: boolean;
}

/** The plan of a schedule's payouts. Times count from its start. */
export interface PayoutPlan {
  readonly payouts: readonly PlannedPayout[];
  readonly asks: readonly PlannedAsk[];
  readonly decisions: readonly PlannedDecision[];
  readonly cancels: readonly PlannedCancel[];
  readonly pauses: readonly PlannedPause[];
  readonly forgeries: readonly ForgedResult[];
  /** Each account's balance at the start. */
  readonly opening: ReadonlyMap<string, bigint>;
  readonly terms: PayoutTerms;
  /** The balance of the rail's own account, and the time at which it gets enough. */
  readonly floatMinor: bigint;
  readonly floatTopUpAtMs: number;
  readonly floatWaitMs: number;
  readonly maxAgeMs: number;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
/** More than the sum of a schedule's payouts. */
export const plentyMinor = 10_000_000n;

/** Half of all schedules have payouts. The others have only collections. */
export function payoutPlanOf(seed: number): PayoutPlan {
  const dice = new Dice(seed, 'payouts');
  const payouts = dice.chance(0.5) ? payoutsOf(dice) : [];
  const perDay = dice.pick([undefined, undefined, 8000n]);
  const most = dice.pick([undefined, undefined, undefined, 5000n]);
  return {
    payouts,
    asks: payouts.flatMap((payout) => asksFor(seed, payout)),
    decisions: payouts.flatMap((payout) => decisionsOn(seed, payout)),
    cancels: payouts.flatMap((payout) => cancelsOf(seed, payout)),
    pauses: payouts.length > 0 ? pausesOf(seed) : [],
    forgeries: forgeriesOf(seed, payouts),
    opening: new Map(
      accountNos.map((accountNo) => [accountNo, dice.pick([0n, 6000n, 20_000n, 20_000n])]),
    ),
    terms: {
      ...(most === undefined ? {} : { maxMinor: most }),
      ...(perDay === undefined ? {} : { maxPerDayMinor: perDay }),
      automaticMaxMinor: dice.pick([0n, 0n, 3000n]),
      automaticPerDayMinor: dice.pick([3000n, 100_000n]),
      timezone: 'UTC',
    },
    floatMinor: dice.pick([plentyMinor, plentyMinor, 4000n, 500n]),
    floatTopUpAtMs: dice.fraction() * dice.pick([5 * minuteMs, 3 * hourMs]),
    floatWaitMs: dice.pick([24 * hourMs, 10 * minuteMs]),
    maxAgeMs: dice.pick([72 * hourMs, 72 * hourMs, 20 * minuteMs]),
  };
}

function payoutsOf(dice: Dice): PlannedPayout[] {
  const usualMinor = BigInt(dice.between(1, 40)) * 100n;
  return Array.from({ length: dice.between(1, 4) }, (_, index) => ({
    reference: `p${index + 1}`,
    accountNo: dice.chance(0.7) ? accountNos[0] : accountNos[1],
    amountMinor: dice.chance(0.5) ? usualMinor : BigInt(dice.between(1, 60)) * 100n,
    phone: dice.chance(0.6) ? '254700000101' : `25470000010${dice.between(2, 3)}`,
    holder: dice.pick(['asha', 'asha', 'joseph', 'till']),
  }));
}

/** Returns when a payout or a batch is first requested. */
export function firstAskMs(seed: number, reference: string): number {
  const dice = new Dice(seed, `first ask for ${reference}`);
  return dice.fraction() * dice.pick([2 * secondMs, 2 * secondMs, minuteMs, 2 * hourMs]);
}

/** Merchants repeat themselves, and sometimes request another amount under the same reference. */
function asksFor(seed: number, payout: PlannedPayout): PlannedAsk[] {
  const { reference } = payout;
  const dice = new Dice(seed, `asks for ${reference}`);
  const firstMs = firstAskMs(seed, reference);
  return Array.from({ length: dice.pick([1, 1, 2, 2, 3]) }, (_, index) => {
    const isOther = index > 0 && dice.chance(0.15);
    const amountMinor = isOther ? payout.amountMinor + 100n : payout.amountMinor;
    return {
      label: `ask ${index + 1} for ${reference}`,
      payout: { ...payout, amountMinor },
      atMs: index === 0 ? firstMs : firstMs + dice.fraction() * dice.pick([10, 500, 30_000]),
      api: dice.between(0, 1),
    };
  });
}

/** Usually another holder approves, once or twice. Sometimes one rejects, or the requester tries to approve. */
export function decisionsOn(
  seed: number,
  { reference, holder: asker }: Pick<PlannedPayout, 'reference' | 'holder'>,
): PlannedDecision[] {
  const dice = new Dice(seed, `decisions on ${reference}`);
  const soonMs = firstAskMs(seed, reference) + dice.pick([0, secondMs, 10 * secondMs, hourMs]);
  const made: PlannedDecision[] = [];
  const decide = (holder: Holder, verdict: 'approve' | 'reject', withinMs: number): void => {
    const label = `${holder}'s word ${made.length + 1} on ${reference}`;
    const atMs = soonMs + dice.fraction() * withinMs;
    made.push({ label, reference, holder, verdict, atMs, api: dice.between(0, 1) });
  };
  const others = holders.filter((one) => one.toLowerCase() !== asker);
  const other = others[dice.between(0, others.length - 1)] ?? 'till';
  if (dice.chance(0.85)) decide(other, 'approve', 5 * secondMs);
  if (dice.chance(0.3)) decide(other, 'approve', dice.pick([5 * secondMs, minuteMs]));
  if (dice.chance(0.2)) decide(dice.pick(holders), 'reject', dice.pick([5000, minuteMs]));
  if (dice.chance(0.3)) decide(asker === 'asha' ? 'Asha' : asker, 'approve', 5 * secondMs);
  return made;
}

/** Any holder stops some of them, at about the time of their approval and sending. */
export function cancelsOf(
  seed: number,
  { reference }: Pick<PlannedPayout, 'reference'>,
): PlannedCancel[] {
  const dice = new Dice(seed, `cancels of ${reference}`);
  const withinMs = dice.pick([2 * secondMs, 20 * secondMs, hourMs, 2 * hourMs]);
  return Array.from({ length: dice.pick([0, 0, 0, 1, 2]) }, (_, index) => ({
    label: `cancel ${index + 1} of ${reference}`,
    reference,
    holder: dice.pick(holders),
    atMs: firstAskMs(seed, reference) + dice.fraction() * withinMs,
    api: dice.between(0, 1),
  }));
}

/** Each pause ends, unless the message that ends it is lost. Approvals then expire. */
function pausesOf(seed: number): PlannedPause[] {
  const dice = new Dice(seed, 'pauses');
  if (!dice.chance(0.25)) return [];
  const atMs = dice.fraction() * dice.pick([10 * secondMs, minuteMs, hourMs]);
  const overMs = atMs + dice.fraction() * dice.pick([minuteMs, hourMs]);
  const [first, second] = [dice.between(0, 1), dice.between(0, 1)];
  return [
    { label: 'the pause', isOver: false, atMs, api: first },
    { label: 'the end of the pause', isOver: true, atMs: overMs, api: second },
  ];
}

function forgeriesOf(seed: number, payouts: readonly PlannedPayout[]): ForgedResult[] {
  const dice = new Dice(seed, 'forged results');
  const [first, ...others] = payouts.map(({ reference }) => reference);
  if (first === undefined) return [];
  return Array.from({ length: dice.pick([0, 0, 1, 2]) }, (_, index) => {
    const addressOf = dice.pick([first, ...others]);
    return {
      label: `forged result ${index + 1}`,
      afterMs: dice.fraction() * dice.pick([secondMs, 10 * secondMs, minuteMs]),
      api: dice.between(0, 1),
      addressOf,
      payment: dice.chance(0.6) ? addressOf : dice.pick([first, ...others]),
      isPaid: dice.chance(0.7),
    };
  });
}
