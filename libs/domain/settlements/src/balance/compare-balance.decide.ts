import { type Instant, type Minor, msFromInstant } from '#domain/kernel';
import {
  type BalanceOutcome,
  type RailAccountBalance,
  type RailAccounts,
  type RailBalanceCompared,
  type RailBalanceEvent,
} from './rail-balance.events.js';

/** The figures of both sides, as of one time of the rail. */
export interface BalanceFigures extends RailAccounts {
  readonly asOf: Instant;
  readonly accounts: readonly RailAccountBalance[];
  readonly ledgerMinor: Minor;
  readonly unpostedMinor: Minor;
  readonly inFlightMinor: Minor;
  readonly position: string;
}

/** Compares the rail's figure with the ledger's (BAL-3, BAL-4). `last`: the stream's last event. */
export function compareBalance(
  figures: BalanceFigures,
  last: RailBalanceEvent | undefined,
): RailBalanceCompared {
  const { accounts, ledgerMinor, unpostedMinor, inFlightMinor } = figures;
  const heldMinor = accounts
    .filter(({ isHeld }) => isHeld)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const expectedMinor = ledgerMinor + unpostedMinor;
  const openingMinor = last ? last.data.openingMinor : heldMinor - expectedMinor;
  const differenceMinor = heldMinor - expectedMinor - openingMinor;
  const outcome = last
    ? outcomeOf({ differenceMinor, unpostedMinor, inFlightMinor })
    : ('opening' as const);
  return {
    type: 'RailBalanceCompared',
    data: { ...figures, heldMinor, openingMinor, differenceMinor, outcome },
  };
}

function outcomeOf({
  differenceMinor,
  unpostedMinor,
  inFlightMinor,
}: Pick<
  RailBalanceCompared['data'],
  'differenceMinor' | 'unpostedMinor' | 'inFlightMinor'
>): BalanceOutcome {
  if (differenceMinor === 0n) return unpostedMinor === 0n ? 'agrees' : 'explained';
  // The rail may have paid any part of what has no result yet.
  return differenceMinor < 0n && differenceMinor >= -inFlightMinor ? 'in_flight' : 'differs';
}

/** True if the rail is to be asked again soon (BAL-2). */
export function isOpenOutcome(outcome: BalanceOutcome): boolean {
  return outcome === 'differs' || outcome === 'in_flight';
}

/** Shorter than a day, so that each day has an event. */
const repeatedAfterMs = 20 * 3_600_000;

/** True if the comparison shows an open difference that the last event of the same day showed already. */
export function isRepeated(
  { data }: RailBalanceCompared,
  last: RailBalanceEvent | undefined,
): boolean {
  return (
    isOpenOutcome(data.outcome) &&
    last?.type === 'RailBalanceCompared' &&
    last.data.outcome === data.outcome &&
    last.data.differenceMinor === data.differenceMinor &&
    last.data.unpostedMinor === data.unpostedMinor &&
    msFromInstant(data.asOf) - msFromInstant(last.data.asOf) < repeatedAfterMs
  );
}
