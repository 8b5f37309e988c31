import { type Instant, type Minor, type Mode } from '#domain/kernel';
import { type TakingRail } from './taking-rails.js';

/** A day of a rail about which it is to be asked now, from the page at `offset` on. */
export interface DueDay {
  readonly channel: string;
  readonly mode: Mode;
  /** YYYY-MM-DD of the rail's zone. */
  readonly day: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The rail forgets its beginning within some hours: it is judged by whatever is known. */
  readonly isForgottenSoon: boolean;
  readonly offset: number;
  /** Questions about this page so far, this one included. */
  readonly attempt: number;
}

/** A day of which the rail can tell nothing more. `untold`: nobody can say whether it was without payments. */
export interface EndedDay extends Pick<DueDay, 'channel' | 'mode' | 'day'> {
  readonly outcome: 'missed' | 'untold';
}

/** A payment that the rail took and the ledger does not hold. */
export interface UnmatchedPayment {
  readonly receipt: string;
  readonly amountMinor: Minor;
  readonly paidAt: Instant;
  readonly code?: string;
  /** The customer's number, masked. */
  readonly party?: string;
  /** The collection that bears its code; absent where nobody asked for it. */
  readonly stream?: string;
  readonly why: 'nobody_asked' | 'not_settled' | 'paid_twice';
}

/** Which days the rails were asked about, and what was found; it survives restarts, and workers share it. */
export abstract class TakenDays {
  /**
   * Leases the oldest day that is over and not asked to its end to the caller for some minutes. Days that the rail can tell
   * nothing more of are ended: as untold if it answered without a payment and the ledger holds none, else as missed.
   * @throws DependencyUnavailable
   */
  abstract due(rails: readonly TakingRail[]): Promise<{
    readonly day: DueDay | undefined;
    readonly ended: readonly EndedDay[];
  }>;

  /**
   * The page was dealt with, in one transaction with what it left.
   * @param next where the next page begins; undefined after the last one
   */
  abstract asked(
    day: DueDay,
    found: {
      readonly payments: number;
      readonly unmatched: readonly UnmatchedPayment[];
      readonly next: number | undefined;
    },
  ): Promise<void>;

  /**
   * The rail did not tell: the page is asked for again after the pause.
   * @param isNothingTold it answered, and named no payment
   */
  abstract putOff(day: DueDay, pauseMs: number, isNothingTold?: boolean): Promise<void>;

  /** The rail answered without a payment for as long as it can tell, and the ledger holds none of that day (RAIL-30). */
  abstract untold(day: DueDay): Promise<void>;

  /**
   * True if the ledger holds money that the rail took in the time that the page was asked about; undefined while the views
   * cannot tell.
   * @throws DependencyUnavailable
   */
  abstract holdsMoney(day: DueDay): Promise<boolean | undefined>;
}
