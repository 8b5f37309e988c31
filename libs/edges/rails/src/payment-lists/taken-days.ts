import { type Instant, type Minor, type Mode } from '#domain/kernel';
import { type ListedUnmatched } from '#records/rails';
import { type PaymentListRail } from './payment-list-rails.js';

/** A day of a rail that is due to be asked about, from the page at `offset` on. */
export interface DueDay {
  readonly channel: string;
  readonly mode: Mode;
  /** YYYY-MM-DD in the rail's time zone. */
  readonly day: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The day's end, if the question ends before it. */
  readonly dayEndsMs?: number;
  /** The rail forgets the start of this day within some hours, so the day is judged by whatever is known. */
  readonly isForgottenSoon: boolean;
  readonly offset: number;
  /** The number of questions about this page so far, this one included. */
  readonly attempt: number;
}

/** A day about which the rail can say nothing more. `untold`: it is unknown whether the day had payments. */
export interface EndedDay extends Pick<DueDay, 'channel' | 'mode' | 'day'> {
  readonly outcome: 'missed' | 'untold';
}

/** A payment that the rail took and the ledger does not have. */
export interface UnmatchedPayment {
  readonly receipt: string;
  readonly amountMinor: Minor;
  readonly paidAt: Instant;
  readonly code?: string;
  /** The customer's number, masked. */
  readonly party?: string;
  /** The collection that has its code; absent if no collection asked for it. */
  readonly stream?: string;
  readonly why: ListedUnmatched['why'];
}

/** Records which days the rails were asked about, and what was found. It survives restarts, and workers share it. */
export abstract class TakenDays {
  /**
   * Leases the oldest day that is over and not fully asked about to the caller, for some minutes. Ends the days about
   * which the rail can say nothing more: as untold if it answered without a payment and the ledger has none, else as
   * missed.
   */
  abstract due(rails: readonly PaymentListRail[]): Promise<{
    readonly day: DueDay | undefined;
    readonly ended: readonly EndedDay[];
  }>;

  /**
   * Records that the page was processed, in one transaction with what it left.
   * @param next the offset of the next page; undefined after the last one
   */
  abstract asked(
    day: DueDay,
    found: {
      readonly payments: number;
      readonly unmatched: readonly UnmatchedPayment[];
      readonly next: number | undefined;
    },
  ): Promise<void>;

  /** Keeps payments that were found by another question. One that is kept already stays as it is. */
  abstract keep(
    day: Pick<DueDay, 'channel' | 'mode' | 'day'>,
    unmatched: readonly UnmatchedPayment[],
  ): Promise<void>;

  /**
   * The rail gave no list, so the page is asked for again after the pause.
   * @param isNothingTold the rail answered, and named no payment
   */
  abstract putOff(day: DueDay, pauseMs: number, isNothingTold?: boolean): Promise<void>;

  /** The rail answered without a payment for as long as it can, and the ledger has none on that day (RAIL-30). */
  abstract untold(day: DueDay): Promise<void>;

  /**
   * True if the ledger has money that the rail took in the time that the page covers; undefined while the views cannot
   * say.
   * @throws DependencyUnavailable
   */
  abstract holdsMoney(day: DueDay): Promise<boolean | undefined>;
}
