import { type Instant, type Minor } from '#domain/kernel';
import { type RailAccount } from '../payouts/rail-floats.js';

/** An account of a rail, as it reports it. */
export interface ReportedAccount {
  /** The rail's own name. */
  readonly name: string;
  readonly currency: string;
  readonly amountMinor: Minor;
  /** False for an account whose money the ledger counts as gone to the bank. */
  readonly isHeld: boolean;
}

/** The rail's answer to a question for the balances of a short code. */
export interface BalanceReport {
  readonly accounts: readonly ReportedAccount[];
  /** The rail's time; absent if it gave none. */
  readonly asOf?: Instant;
}

/** A stored answer. */
export interface ToldBalance {
  readonly shortCode: string;
  readonly asOf: Instant;
  readonly accounts: readonly ReportedAccount[];
  /** Lower-case hex SHA-256 of the answer's bytes. */
  readonly digest: string;
}

/** A rail's mode that is to be asked, or whose answers are to be compared. */
export interface BalanceRound {
  /** The time of the open question; undefined if none is open. */
  readonly askedAtMs: number | undefined;
  /** The number of questions of the open round. */
  readonly attempts: number;
  /** The answers to the open question. */
  readonly told: readonly ToldBalance[];
}

/** Records questions for balances and their answers. They survive restarts, and workers share them. */
export abstract class BalanceRounds {
  /** Leases the account's round to the caller, for some minutes; undefined if nothing is due. */
  abstract due(account: RailAccount): Promise<BalanceRound | undefined>;
  /** Records a question before it is sent, with the time until its answers are looked at. */
  abstract asked(account: RailAccount, askedAtMs: number, nextInMs: number): Promise<void>;
  /** Ends the lease after a pause. The round stays open. */
  abstract putOff(account: RailAccount, pauseMs: number): Promise<void>;
  /** Ends the round. The next one begins after the pause. */
  abstract ended(account: RailAccount, nextInMs: number): Promise<void>;
  /** Stores an answer, unless one to a later question is stored. */
  abstract tell(account: RailAccount, told: ToldBalance, askedAtMs: number): Promise<void>;
}
