import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Instant, type Minor, type Mode } from '#domain/kernel';

/** A rail's accounts of one mode, whose money `rail-clearing:<channel>` stands for. */
export interface RailAccounts {
  /** The rail. */
  readonly channel: string;
  readonly mode: Mode;
  readonly currency: string;
}

/** One account, as the rail reports it. */
export interface RailAccountBalance {
  readonly shortCode: string;
  /** The rail's own name. */
  readonly name: string;
  readonly amountMinor: Minor;
  /** False for an account whose money already went to the bank, as far as the ledger is concerned. */
  readonly isHeld: boolean;
}

/**
 * The result of a comparison (BAL-4).
 * - `opening`: the first one. Its difference is what the accounts had before the ledger began.
 * - `agrees`: to the cent.
 * - `explained`: the difference is the sum of payments that `reconcile missed` lists.
 * - `in_flight`: payouts without a result may be the difference.
 * - `differs`: nothing that is known explains it.
 */
export type BalanceOutcome = 'opening' | 'agrees' | 'explained' | 'in_flight' | 'differs';

/** The rail's own figure was compared with the ledger. All amounts are minor units. */
export type RailBalanceCompared = StoredEvent<
  'RailBalanceCompared',
  RailAccounts & {
    /** The rail's time of the figure. */
    asOf: Instant;
    accounts: readonly RailAccountBalance[];
    /** The sum of the accounts that are held. */
    heldMinor: Minor;
    /** The ledger's figure as of that time: the opposite of `rail-clearing`. */
    ledgerMinor: Minor;
    /** The accepted difference between both. */
    openingMinor: Minor;
    /** Payments that the rail took and the ledger lacks. */
    unpostedMinor: Minor;
    /** Payouts that the rail was given and that have no result. */
    inFlightMinor: Minor;
    /** heldMinor − ledgerMinor − openingMinor − unpostedMinor. */
    differenceMinor: Minor;
    outcome: BalanceOutcome;
    /** The log position of the ledger's figure, in digits. */
    position: string;
  }
>;

export const differenceCauses = ['float', 'charges', 'opening', 'other'] as const;
/** The cause of a difference that a person accepted. */
export type DifferenceCause = (typeof differenceCauses)[number];

/** A person explained a difference, which later comparisons expect (BAL-6). The metadata names person and reason. */
export type RailBalanceAccepted = StoredEvent<
  'RailBalanceAccepted',
  RailAccounts & {
    cause: DifferenceCause;
    amountMinor: Minor;
    /** The accepted difference from now on. */
    openingMinor: Minor;
  }
>;

export type RailBalanceEvent = RailBalanceCompared | RailBalanceAccepted;

/** The names and versions under which history stores these events (EVT-1). */
export const railBalanceEventTypes = {
  RailBalanceCompared: { version: 1 },
  RailBalanceAccepted: { version: 1 },
} as const satisfies Record<RailBalanceEvent['type'], EventTypes[string]>;

const prefix = 'platform-balance-';

export function railBalanceStream({ channel, mode }: Omit<RailAccounts, 'currency'>): string {
  return `${prefix}${mode}:${channel}`;
}

export function isRailBalanceStream(stream: string): boolean {
  return stream.startsWith(prefix);
}
