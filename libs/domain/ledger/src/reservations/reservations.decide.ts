import { type Minor, ok, refuse, type Result } from '#domain/kernel';
import {
  type FundsReserved,
  type ReservationEvent,
  type ReservationReleased,
} from './reservation.events.js';

/** An amount to take out of a wallet, and its source. */
export interface Demand {
  readonly source: string;
  /** Above 0. */
  readonly amountMinor: Minor;
  /**
   * True for a fact, such as a reversal by the rail. It is reserved whatever is available, so the account may go
   * negative.
   */
  readonly mayOverdraw: boolean;
}

/** C and R of the wallet. The available amount is C − R. */
export interface Funds {
  /**
   * All credits of the wallet, without subtracting debits. They only grow, so a view that lags shows too little, never
   * too much.
   */
  readonly creditsMinor: Minor;
  /** The running total of the wallet's reservations: everything that is reserved or was ever paid out. */
  readonly reservedMinor: Minor;
}

/** Reserves the demand if the wallet has enough, or if it may overdraw. */
export function decideReserve(
  { source, amountMinor, mayOverdraw }: Demand,
  { creditsMinor, reservedMinor }: Funds,
): Result<FundsReserved, 'insufficient_funds'> {
  if (amountMinor < 1n) throw new RangeError('a reservation is above 0');
  if (!mayOverdraw && amountMinor > creditsMinor - reservedMinor)
    return refuse('insufficient_funds');
  const totalMinor = reservedMinor + amountMinor;
  return ok({ type: 'FundsReserved', data: { source, amountMinor, totalMinor } });
}

/** Reserves all of the demands, in their order on one running total, or none. */
export function decideReserveAll(
  demands: readonly Demand[],
  { creditsMinor, reservedMinor }: Funds,
): Result<readonly FundsReserved[], 'insufficient_funds'> {
  const events: FundsReserved[] = [];
  let total = reservedMinor;
  for (const demand of demands) {
    const decided = decideReserve(demand, { creditsMinor, reservedMinor: total });
    if (!decided.ok) return decided;
    events.push(decided.value);
    total = decided.value.data.totalMinor;
  }
  return ok(events);
}

/** Releases the reservation of a source that takes nothing after all. */
export function decideRelease(
  { data: { source, amountMinor } }: FundsReserved,
  reservedMinor: Minor,
): ReservationReleased {
  const totalMinor = reservedMinor - amountMinor;
  return { type: 'ReservationReleased', data: { source, amountMinor, totalMinor } };
}

/** Returns the source's active reservation among these events; undefined if there is none, or it was released. */
export function standingReservation<E extends ReservationEvent>(
  events: readonly E[],
  source: string,
): (E & FundsReserved) | undefined {
  const last = events.findLast(({ data }) => data.source === source);
  return last?.type === 'FundsReserved' ? (last as E & FundsReserved) : undefined;
}
