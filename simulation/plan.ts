import { type PayoutsPlan, payoutsPlanOf } from './batch-plan.js';
import { Dice } from './core/dice.js';
import { type Outage, type ServerName } from './core/world.js';
import { type Channel } from './names.js';
import { type Takeover } from './processes/regions.js';
import { type BusyTime } from './servers/rail-server.js';

/** A merchant's request for a collection. The same reference may be requested several times. */
export interface PlannedRequest {
  readonly label: string;
  readonly reference: string;
  readonly atMs: number;
  readonly api: number;
}

/** A callback that the rail never sent. */
export interface Forgery {
  readonly label: string;
  readonly atMs: number;
  readonly api: number;
  /** The collection whose token the untrusted sender obtained; if undefined, it makes one up. */
  readonly tokenOf: string | undefined;
  /** The collection whose checkout id it names. */
  readonly checkoutOf: string;
  readonly isPaid: boolean;
}

/** The plan of a schedule. Times count from its start. */
export interface Plan {
  readonly references: readonly string[];
  /** The rail of each collection, of each payout that is alone, and of each batch. */
  readonly channels: ReadonlyMap<string, Channel>;
  readonly amountMinor: bigint;
  readonly feeBasisPoints: number;
  readonly requests: readonly PlannedRequest[];
  readonly forgeries: readonly Forgery[];
  readonly payouts: PayoutsPlan;
  readonly outages: readonly (Outage & { readonly label: string })[];
  /** True if operators decide items that are under review. */
  readonly hasOperators: boolean;
  readonly queryDelaysMs: readonly number[];
  /** The time in which the rail takes no questions, without any other fault: about when a timeout is flagged. */
  readonly busyRail: BusyTime | undefined;
  readonly takeover: Takeover | undefined;
  /** From then on there are no faults, and everything must end. */
  readonly faultsUntilMs: number;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const defaultDelaysMs = [
  75 * secondMs,
  3 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  6 * hourMs,
  12 * hourMs,
  24 * hourMs,
];
const servers = ['event store', 'records', 'rail'] as const satisfies readonly ServerName[];

export function planOf(seed: number): Plan {
  const dice = new Dice(seed, 'plan');
  const references = Array.from({ length: dice.between(1, 3) }, (_, index) => `r${index + 1}`);
  const payouts = payoutsPlanOf(seed);
  const faultsUntilMs = dice.pick([2 * minuteMs, 20 * minuteMs, 4 * hourMs, 20 * hourMs]);
  return {
    references,
    channels: channelsOf(seed, references, payouts),
    amountMinor: BigInt(dice.between(1, 100)) * 100n,
    feeBasisPoints: dice.pick([0, 150, 150, 10_000]),
    requests: references.flatMap((reference) => requestsFor(seed, reference)),
    forgeries: forgeriesOf(dice, references),
    payouts,
    outages: Array.from({ length: dice.pick([0, 0, 1, 2]) }, (_, index) => {
      const drawn = dice.pick(servers);
      const isAirtels = new Dice(seed, `rail of outage ${index + 1}`).chance(0.4);
      const server = drawn === 'rail' && isAirtels ? 'airtel' : drawn;
      const fromMs = dice.fraction() * dice.pick([10 * secondMs, 2 * minuteMs, hourMs]);
      const maxMs = dice.chance(0.01) ? hourMs : dice.pick([2 * secondMs, 10 * secondMs, minuteMs]);
      const untilMs = fromMs + dice.fraction() * maxMs;
      return { label: `outage ${index + 1} of the ${server}`, server, fromMs, untilMs };
    }),
    hasOperators: new Dice(seed, 'operators').chance(0.5),
    // A payout is asked about at the last gap for as long as its outcome is unknown.
    queryDelaysMs:
      dice.chance(0.5) || payouts.payouts.length > 0
        ? defaultDelaysMs
        : defaultDelaysMs.slice(0, 4),
    busyRail: busyRailOf(new Dice(seed, 'busy rail')),
    takeover: takeoverOf(new Dice(seed, 'takeover')),
    faultsUntilMs,
  };
}

/** Payouts that the log has lost were M-Pesa's: Airtel sends no results that would tell of them. */
function channelsOf(
  seed: number,
  references: readonly string[],
  { payouts, batches, lost }: PayoutsPlan,
): ReadonlyMap<string, Channel> {
  const all = [...references, ...[...payouts, ...batches].map(({ reference }) => reference)];
  const isAirtels = (reference: string): boolean =>
    !lost.has(reference) && new Dice(seed, `rail of ${reference}`).chance(0.4);
  return new Map(all.map((one) => [one, isAirtels(one) ? 'airtel' : 'mpesa']));
}

function busyRailOf(dice: Dice): BusyTime | undefined {
  if (!dice.chance(0.15)) return undefined;
  const fromMs = (47 + dice.fraction()) * hourMs;
  const untilMs = fromMs + dice.fraction() * dice.pick([2, 2, 2, 2, 30]) * hourMs;
  return { fromMs, untilMs };
}

function takeoverOf(dice: Dice): Takeover | undefined {
  if (!dice.chance(0.25)) return undefined;
  const cutMs = dice.fraction() * dice.pick([5 * secondMs, minuteMs, 10 * minuteMs]);
  const startMs = cutMs + dice.fraction() * dice.pick([10 * secondMs, 2 * minuteMs]);
  const healedMs = cutMs + dice.fraction() * dice.pick([minuteMs, hourMs]);
  return { cutMs, startMs, healedMs };
}

/** Merchants repeat themselves: at once to two APIs, a little later, or after a minute. */
function requestsFor(seed: number, reference: string): PlannedRequest[] {
  const dice = new Dice(seed, `requests for ${reference}`);
  const firstMs = dice.fraction() * 2000;
  return Array.from({ length: dice.pick([1, 1, 2, 2, 3]) }, (_, index) => ({
    label: `request ${index + 1} for ${reference}`,
    reference,
    atMs: index === 0 ? firstMs : firstMs + dice.fraction() * dice.pick([10, 500, 30_000]),
    api: dice.between(0, 1),
  }));
}

function forgeriesOf(dice: Dice, references: readonly string[]): Forgery[] {
  const [first = 'r1', ...others] = references;
  return Array.from({ length: dice.pick([0, 0, 1, 2]) }, (_, index) => ({
    label: `forgery ${index + 1}`,
    atMs: dice.fraction() * dice.pick([5000, 60_000, 300_000]),
    api: dice.between(0, 1),
    tokenOf: dice.chance(0.9) ? dice.pick([first, ...others]) : undefined,
    checkoutOf: dice.pick([first, ...others]),
    isPaid: dice.chance(0.8),
  }));
}
