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

/** Where a leg stands; the mode and the currency are those of the event that carries it. */
export type LedgerAccount = `wallet:${string}` | `rail-clearing:${string}` | 'fees' | 'suspense';

/** One side of a posting: a credit is positive, a debit negative. */
export interface Leg {
  readonly account: LedgerAccount;
  readonly amountMinor: Minor;
}

/** The names of the ledger's accounts, built here and nowhere else. */
const accountOf = {
  wallet: (accountNo: string): LedgerAccount => `wallet:${accountNo}`,
  railClearing: (rail: string): LedgerAccount => `rail-clearing:${rail}`,
  fees: 'fees',
  suspense: 'suspense',
} as const;

/** The rails by their channels, each of which has a clearing account. The app says which there are. */
export class ClearedRails {
  constructor(private readonly channels: readonly string[]) {}

  /** Whether the name is one of the ledger's accounts that are no wallet: those stand in every mode and currency. */
  isOtherAccount(account: string): boolean {
    const others: readonly string[] = [
      ...this.channels.map((channel) => accountOf.railClearing(channel)),
      accountOf.fees,
      accountOf.suspense,
    ];
    return others.includes(account);
  }
}

export function isBalanced(legs: readonly Leg[]): boolean {
  return legs.reduce((sum, leg) => sum + leg.amountMinor, 0n) === 0n;
}

/**
 * What a confirmed collection moves (EVT-22): the rail owes us the amount, the merchant's
 * wallet receives amount − fee, the fee is ours.
 */
export function collectionLegs(posting: {
  readonly rail: string;
  readonly accountNo: string;
  readonly amountMinor: Minor;
  readonly feeMinor: Minor;
}): readonly Leg[] {
  const { rail, accountNo, amountMinor, feeMinor } = posting;
  return withoutZeros([
    { account: accountOf.railClearing(rail), amountMinor: -amountMinor },
    { account: accountOf.wallet(accountNo), amountMinor: amountMinor - feeMinor },
    { account: accountOf.fees, amountMinor: feeMinor },
  ]);
}

/**
 * What a confirmed payout moves (EVT-22): the merchant's wallet gives amount + fee, the rail's account paid the amount,
 * the fee is ours.
 */
export function payoutLegs(posting: {
  readonly rail: string;
  readonly accountNo: string;
  readonly amountMinor: Minor;
  readonly feeMinor: Minor;
}): readonly Leg[] {
  const { rail, accountNo, amountMinor, feeMinor } = posting;
  return withoutZeros([
    { account: accountOf.wallet(accountNo), amountMinor: -(amountMinor + feeMinor) },
    { account: accountOf.railClearing(rail), amountMinor },
    { account: accountOf.fees, amountMinor: feeMinor },
  ]);
}

/** Money that arrived but is not what was asked for: held in suspense until an operator decides. */
export function suspenseLegs(arrived: {
  readonly rail: string;
  readonly amountMinor: Minor;
}): readonly Leg[] {
  return withoutZeros([
    { account: accountOf.railClearing(arrived.rail), amountMinor: -arrived.amountMinor },
    { account: accountOf.suspense, amountMinor: arrived.amountMinor },
  ]);
}

/** Money in suspense that the merchant receives after all, less the fee on what arrived. */
export function suspenseToWalletLegs(resolved: {
  readonly accountNo: string;
  readonly amountMinor: Minor;
  readonly feeMinor: Minor;
}): readonly Leg[] {
  const { accountNo, amountMinor, feeMinor } = resolved;
  return withoutZeros([
    { account: accountOf.suspense, amountMinor: -amountMinor },
    { account: accountOf.wallet(accountNo), amountMinor: amountMinor - feeMinor },
    { account: accountOf.fees, amountMinor: feeMinor },
  ]);
}

/** Money in suspense that goes back to the customer over the rail. */
export function suspenseReturnLegs(returned: {
  readonly rail: string;
  readonly amountMinor: Minor;
}): readonly Leg[] {
  return withoutZeros([
    { account: accountOf.suspense, amountMinor: -returned.amountMinor },
    { account: accountOf.railClearing(returned.rail), amountMinor: returned.amountMinor },
  ]);
}

/** Whether the legs of a resolved suspense give the money back to the rail; else the merchant received it. */
export function isReturned(legs: readonly Leg[]): boolean {
  return legs.some(({ account }) => account.startsWith('rail-clearing:'));
}

/** What the legs credit to the fees: 0 where no leg does. */
export function feeOf(legs: readonly Leg[]): Minor {
  return legs
    .filter(({ account }) => account === accountOf.fees)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** A leg of nothing says nothing; a wallet whose whole amount was the fee has no leg. */
function withoutZeros(legs: readonly Leg[]): readonly Leg[] {
  return legs.filter((leg) => leg.amountMinor !== 0n);
}
