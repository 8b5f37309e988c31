import { type RailLimits } from '#domain/rails';
import { type Proof } from '#domain/event-sourcing';
import { type Minor, type Mode, type PhoneTraces } from '#domain/kernel';
import { type Wallet } from '#domain/ledger';

/** An operator's limits of a merchant's payouts in a mode (PAY-8). Amounts are without the fee. */
export interface PayoutTerms {
  /** The limit of one payout; absent if only the rail limits it. */
  readonly maxMinor?: Minor;
  /** The limit of all payouts of a day, in the merchant's time zone; absent if there is none. */
  readonly maxPerDayMinor?: Minor;
  /** Up to this amount a payout needs no second holder; 0 if every payout needs one. */
  readonly automaticMaxMinor: Minor;
  /** The limit of all payouts of a day without a second holder. */
  readonly automaticPerDayMinor: Minor;
  /** The keyed digests of the only numbers that may be paid; absent if any may. */
  readonly destinations?: ReadonlySet<string>;
  /** IANA name of the zone whose days are counted. */
  readonly timezone: string;
}

/** Returns the terms on which a merchant pays out, from a read model. */
export abstract class PayoutTermsDirectory {
  /** @throws DependencyUnavailable */
  abstract termsOf(merchantId: string, mode: Mode): Promise<PayoutTerms>;
}

/** The approvals that a day's sum counts: all, or those without a second holder. */
export type AllowanceKind = 'approved' | 'automatic';

/** The amount of a payout, or of a whole batch, in its merchant's day. */
export interface AllowanceClaim {
  readonly kind: AllowanceKind;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly timezone: string;
  /** The stream of the payout or the batch. It is counted once in a day, however often it is claimed. */
  readonly stream: string;
  readonly amountMinor: Minor;
  /** Absent if there is no bound. It is counted in any case, for a bound that an operator may set later in the day. */
  readonly maxPerDayMinor?: Minor;
}

/**
 * The sums of each merchant's days: the amounts that the records count before an approval is appended, and other
 * approvals in the log (PAY-50). No two approvals use the same room. An approval that is counted and then not appended,
 * or appended with an unknown outcome, stays counted: a day may end up with less, never more.
 */
export abstract class PayoutAllowances {
  /**
   * Counts a claim. Returns false, and counts nothing, if the day's sum would exceed its bound.
   * @throws DependencyUnavailable
   */
  abstract claim(claim: AllowanceClaim): Promise<boolean>;
  /**
   * Removes the payout from all days: it was rejected, so nothing was sent.
   * @throws DependencyUnavailable
   */
  abstract giveBack(stream: string): Promise<void>;
}

/**
 * The numbers of payouts that are not final, encrypted. No other part of the service stores them. A number is stored
 * under its payout's stream and its own digest: if two requests race for a reference, each keeps its own.
 */
export abstract class PayoutPhones {
  /** Returns the traces of a number that history may hold. */
  abstract tracesOf(phone: string): PhoneTraces;
  /**
   * Stores a number. Durable before it resolves.
   * @throws DependencyUnavailable
   */
  abstract keep(stream: string, phoneHmac: string, phone: string): Promise<void>;
  /**
   * Like `keep`, for many payouts at once.
   * @throws DependencyUnavailable
   */
  abstract keepAll(phones: readonly PayoutPhone[]): Promise<void>;
  /**
   * Finds the payout's number with this digest. A stored number with another digest counts as gone: people decided about
   * the digest in the log, and the records can be written without them (PAY-15).
   * @throws DependencyUnavailable
   */
  abstract find(stream: string, phoneHmac: string): Promise<string | undefined>;
  /**
   * Deletes all numbers of the payout, or only the one with the digest.
   * @throws DependencyUnavailable
   */
  abstract forget(stream: string, phoneHmac?: string): Promise<void>;
  /**
   * Like `forget`, for many payouts at once.
   * @throws DependencyUnavailable
   */
  abstract forgetAll(streams: readonly string[]): Promise<void>;
}

/** The number of a payout. */
export interface PayoutPhone {
  readonly stream: string;
  readonly phoneHmac: string;
  readonly phone: string;
}

/** One payout of a batch, with its fixed fee. */
export interface BatchItem {
  readonly reference: string;
  readonly phone: string;
  readonly amountMinor: Minor;
  readonly feeMinor: Minor;
}

/**
 * The items of requested batches, sealed. They are stored from before a batch is recorded until all of its payouts are,
 * so that another process can finish a batch.
 */
export abstract class PayoutBatchItems {
  /**
   * Stores a batch's items. Durable before it resolves.
   * @param id of the batch's first event
   * @throws DependencyUnavailable
   */
  abstract keep(id: string, stream: string, items: readonly BatchItem[]): Promise<void>;
  /** @throws DependencyUnavailable */
  abstract find(id: string): Promise<readonly BatchItem[] | undefined>;
  /** @throws DependencyUnavailable */
  abstract forget(id: string): Promise<void>;
}

/** Tells if a wallet ever paid a number. It reads a view, which may lag, so it can only say "never" too often. */
export abstract class PaidNumbers {
  /** @throws DependencyUnavailable */
  abstract hasPaid(wallet: Wallet, phoneHmac: string): Promise<boolean>;
}

/**
 * Tells by the records which payouts the rail was given. The log may have been restored to an earlier point and lack
 * them (PAY-39).
 */
export abstract class PayoutOrders {
  /**
   * Returns the payouts with these streams that the rail was given.
   * @throws DependencyUnavailable
   */
  abstract givenOf(streams: readonly string[]): Promise<ReadonlySet<string>>;

  /**
   * True if the rail was given any of them.
   * @throws DependencyUnavailable
   */
  async wereGiven(streams: readonly string[]): Promise<boolean> {
    return (await this.givenOf(streams)).size > 0;
  }
}

/** PAYOUT_MAX_AGE: the time for which an approval counts if the payout is not started (PAY-48). */
export class PayoutAge {
  constructor(readonly maxMs: number) {}
}

/**
 * The receiver of a payout: a number, or the payer of an earlier payment, which the rail reverses by its receipt. The
 * number is in international form, digits only, and exists only as long as the call needs it.
 */
export type Payee = { readonly phone: string } | { readonly reverses: string };

/** The part of an order that its rail needs. */
export type RailOrder = Payee & {
  readonly mode: Mode;
  readonly originatorConversationId: string;
  readonly amountMinor: Minor;
};

/** An order to pay out, which is sent once. */
export type PayoutOrder = RailOrder & {
  readonly channel: string;
  /** The payout's stream. The addresses for the rail's results contain it, encrypted. */
  readonly stream: string;
  /** The trace that the order belongs to, if it is recorded. The rail does not get it. */
  readonly traceparent?: string;
};

/**
 * The rail's answer: it accepted the order, or refused it at once, so that it will pay nothing. `proof`: the evidence
 * of the answer's own bytes, if there are any.
 */
export type PayoutAnswer = (
  | {
      readonly kind: 'accepted';
      readonly conversationId: string;
      /** The rail's own name for an order that cannot carry ours. */
      readonly originatorConversationId?: string;
    }
  | { readonly kind: 'refused'; readonly failureCode: string }
) & { readonly proof?: Proof };

/**
 * `unknown`: it is not known if the rail accepted the order, so it is never sent again. A result or a query decides.
 */
export type PayoutOutcome = PayoutAnswer | { readonly kind: 'unknown' };

/** Our names of a payout for its rail. */
export interface RailPayoutName {
  readonly channel: string;
  readonly mode: Mode;
  readonly stream: string;
  readonly originatorConversationId: string;
  /** True if the payout is the reversal of a customer's payment; if absent, it is none. */
  readonly isReversal?: boolean;
}

/** The rails that pay out. Their results come by callback, and so do the results of status queries. */
export abstract class PayoutRail {
  /** Returns the rails from which the mode pays out, `mpesa` first. */
  abstract channels(mode: Mode): readonly string[];
  /** Undefined if this mode has no rail that pays out. */
  abstract payoutLimits(channel: string, mode: Mode): RailLimits | undefined;
  /** True if the rail can give a payment back by its receipt, as a whole. */
  abstract reverses(channel: string, mode: Mode): boolean;
  /** Resolves within its deadline, whatever the rail does. A failure of the rail is an outcome, not a rejection. */
  abstract pay(order: PayoutOrder): Promise<PayoutOutcome>;
  /** The float of the rail's own account, as last reported; undefined if it is not known. */
  abstract floatOf(channel: string, mode: Mode): Promise<Minor | undefined>;
}
