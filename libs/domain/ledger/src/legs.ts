import { type Minor } from '#domain/kernel';

/** A merchant's fee per transaction: basis points (hundredths of a percent) plus a flat part in minor units. */
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

/** The account of a leg; its mode and currency are those of the event that carries it. */
export type LedgerAccount =
  | `wallet:${string}`
  | `rail-clearing:${string}`
  | `bank-settlement:${string}`
  | 'fees'
  | 'suspense';

/** One side of a posting: a credit is positive, a debit negative. */
export interface Leg {
  readonly account: LedgerAccount;
  readonly amountMinor: Minor;
}

/** The names of the ledger's accounts. No other code builds them. */
export const ledgerAccount = {
  wallet: (accountNo: string): LedgerAccount => `wallet:${accountNo}`,
  railClearing: (rail: string): LedgerAccount => `rail-clearing:${rail}`,
  /** The money that went from the rail's account to the organisation's bank. */
  bankSettlement: (rail: string): LedgerAccount => `bank-settlement:${rail}`,
  fees: 'fees',
  suspense: 'suspense',
} as const;

/** The channels of the rails, each of which has a clearing account and a settlement account. The app configures them. */
export class ClearedRails {
  constructor(private readonly channels: readonly string[]) {}

  /** True if the name is an account of the ledger other than a wallet; those exist in every mode and currency. */
  isOtherAccount(account: string): boolean {
    return this.otherAccounts().some((other) => other === account);
  }

  /** The ledger's accounts other than wallets. */
  otherAccounts(): readonly LedgerAccount[] {
    return [
      ...this.channels.map((channel) => ledgerAccount.railClearing(channel)),
      ...this.channels.map((channel) => ledgerAccount.bankSettlement(channel)),
      ledgerAccount.fees,
      ledgerAccount.suspense,
    ];
  }
}

export function isBalanced(legs: readonly Leg[]): boolean {
  return legs.reduce((sum, leg) => sum + leg.amountMinor, 0n) === 0n;
}

/**
 * The legs of a confirmed collection (EVT-22): rail clearing is debited the amount, the merchant's wallet is credited
 * amount − fee, and fees the fee.
 */
export function collectionLegs(posting: {
  readonly rail: string;
  readonly accountNo: string;
  readonly amountMinor: Minor;
  readonly feeMinor: Minor;
}): readonly Leg[] {
  const { rail, accountNo, amountMinor, feeMinor } = posting;
  return withoutZeros([
    { account: ledgerAccount.railClearing(rail), amountMinor: -amountMinor },
    { account: ledgerAccount.wallet(accountNo), amountMinor: amountMinor - feeMinor },
    { account: ledgerAccount.fees, amountMinor: feeMinor },
  ]);
}

/**
 * The legs of a confirmed payout (EVT-22): the merchant's wallet is debited amount + fee, rail clearing is credited the
 * amount, and fees the fee.
 */
export function payoutLegs(posting: {
  readonly rail: string;
  readonly accountNo: string;
  readonly amountMinor: Minor;
  readonly feeMinor: Minor;
}): readonly Leg[] {
  const { rail, accountNo, amountMinor, feeMinor } = posting;
  return withoutZeros([
    { account: ledgerAccount.wallet(accountNo), amountMinor: -(amountMinor + feeMinor) },
    { account: ledgerAccount.railClearing(rail), amountMinor },
    { account: ledgerAccount.fees, amountMinor: feeMinor },
  ]);
}

/** The legs of money that arrived in another amount. It stays in suspense until an operator decides. */
export function suspenseLegs(arrived: {
  readonly rail: string;
  readonly amountMinor: Minor;
}): readonly Leg[] {
  return withoutZeros([
    { account: ledgerAccount.railClearing(arrived.rail), amountMinor: -arrived.amountMinor },
    { account: ledgerAccount.suspense, amountMinor: arrived.amountMinor },
  ]);
}

/** The legs of money that goes from suspense to the merchant, less the fee on what arrived. */
export function suspenseToWalletLegs(resolved: {
  readonly accountNo: string;
  readonly amountMinor: Minor;
  readonly feeMinor: Minor;
}): readonly Leg[] {
  const { accountNo, amountMinor, feeMinor } = resolved;
  return withoutZeros([
    { account: ledgerAccount.suspense, amountMinor: -amountMinor },
    { account: ledgerAccount.wallet(accountNo), amountMinor: amountMinor - feeMinor },
    { account: ledgerAccount.fees, amountMinor: feeMinor },
  ]);
}

/** The legs of money that goes from suspense back to the customer over the rail. */
export function suspenseReturnLegs(returned: {
  readonly rail: string;
  readonly amountMinor: Minor;
}): readonly Leg[] {
  return withoutZeros([
    { account: ledgerAccount.suspense, amountMinor: -returned.amountMinor },
    { account: ledgerAccount.railClearing(returned.rail), amountMinor: returned.amountMinor },
  ]);
}

/** The legs of money that went from the rail's account to the organisation's bank (SWEEP-1). */
export function settlementLegs(swept: {
  readonly rail: string;
  readonly amountMinor: Minor;
}): readonly Leg[] {
  return [
    { account: ledgerAccount.bankSettlement(swept.rail), amountMinor: -swept.amountMinor },
    { account: ledgerAccount.railClearing(swept.rail), amountMinor: swept.amountMinor },
  ];
}

/** True if resolved suspense went back to the rail; otherwise the merchant received it. */
export function isReturned(legs: readonly Leg[]): boolean {
  return legs.some(({ account }) => account.startsWith('rail-clearing:'));
}

/** Returns the fee that the legs credit; 0 without a leg of fees. */
export function feeOf(legs: readonly Leg[]): Minor {
  return legs
    .filter(({ account }) => account === ledgerAccount.fees)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** Omits legs of zero: a wallet whose whole amount was the fee has none. */
function withoutZeros(legs: readonly Leg[]): readonly Leg[] {
  return legs.filter((leg) => leg.amountMinor !== 0n);
}
