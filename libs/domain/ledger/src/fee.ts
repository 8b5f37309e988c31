import { type Minor } from '#domain/kernel';

/** What a merchant pays per transaction: hundredths of a percent, plus a flat part in minor units. */
export interface FeeSchedule {
  readonly basisPoints: number;
  readonly flatMinor: Minor;
}

const basisPointsPerWhole = 10_000n;

/**
 * The fee on an amount: its basis points rounded half-up, plus the flat part, never above the amount (FEE-1).
 * @param amountMinor 0 or more
 */
export function feeFor(schedule: FeeSchedule, amountMinor: Minor): Minor {
  const numerator = amountMinor * BigInt(schedule.basisPoints);
  const proportional = (numerator + basisPointsPerWhole / 2n) / basisPointsPerWhole;
  const fee = proportional + schedule.flatMinor;
  return fee < amountMinor ? fee : amountMinor;
}
