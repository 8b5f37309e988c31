import { type PhoneTraces, type RailLimits } from '#domain/collections';
import { type Proof } from '#domain/event-sourcing';
import { type Minor, type Mode } from '#domain/kernel';
import { type Wallet } from '#domain/ledger';

/** What a merchant may pay out in a mode, as its operator has set it (PAY-8). Amounts are without the fee. */
export interface PayoutTerms {
  /** The most that one payout may be; absent: what the rail carries. */
  readonly maxMinor?: Minor;
  /** The most that a day of the merchant's zone may sum up to; absent: no bound. */
  readonly maxPerDayMinor?: Minor;
  /** Up to this amount a payout needs no second holder; 0: every payout needs one. */
  readonly automaticMaxMinor: Minor;
  /** The most that may pass in a day without a second holder. */
  readonly automaticPerDayMinor: Minor;
  /** The keyed digests of the only numbers that may be paid; absent: any. */
  readonly destinations?: ReadonlySet<string>;
  /** IANA name of the zone whose days are counted. */
  readonly timezone: string;
}

/** Answers on what terms a merchant pays out; served from a read model. */
export abstract class PayoutTermsDirectory {
  /** @throws DependencyUnavailable */
  abstract termsOf(merchantId: string, mode: Mode): Promise<PayoutTerms>;
}

/** What a day's sum counts: all approvals, or those without a second holder. */
export type AllowanceKind = 'approved' | 'automatic';

/** The share of a payout, or of a whole batch, in its merchant's day. */
export interface AllowanceClaim {
  readonly kind: AllowanceKind;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly timezone: string;
  /** The payout's or the batch's. It is counted once in a day, however often it is asked about. */
  readonly stream: string;
  readonly amountMinor: Minor;
  /** Absent: no bound. It is counted all the same, for the bound that an operator may set later in the day. */
  readonly maxPerDayMinor?: Minor;
}

/**
 * The sums of each merchant's days: what the records count before an approval is appended, and what the log has approved
 * beside that (PAY-50). No two approvals pass with the same room. An approval that is counted and then not appended, or
 * appended with an unknown outcome, stays counted: a day may end up with less, never more.
 */
export abstract class PayoutAllowances {
  /** False if the day's sum would go beyond its bound; nothing is counted then. @throws DependencyUnavailable */
  abstract claim(claim: AllowanceClaim): Promise<boolean>;
  /** Counts the payout no more in any day: it was rejected, so nothing was sent. @throws DependencyUnavailable */
  abstract giveBack(stream: string): Promise<void>;
}

/**
 * The numbers of payouts that are not final, encrypted; nothing else in the service holds them. A number is kept under
 * its payout's stream and its own digest: of two requests that race for a reference, each keeps its own.
 */
export abstract class PayoutPhones {
  /** What history may know of a number. */
  abstract tracesOf(phone: string): PhoneTraces;
  /** Durable before it resolves. @throws DependencyUnavailable */
  abstract keep(stream: string, phoneHmac: string, phone: string): Promise<void>;
  /** As `keep`, for many payouts at once. @throws DependencyUnavailable */
  abstract keepAll(phones: readonly PayoutPhone[]): Promise<void>;
  /** @throws DependencyUnavailable */
  abstract find(stream: string, phoneHmac: string): Promise<string | undefined>;
  /** Forgets all numbers kept for the payout, or the one with the digest. @throws DependencyUnavailable */
  abstract forget(stream: string, phoneHmac?: string): Promise<void>;
  /** As `forget`, for many payouts at once. @throws DependencyUnavailable */
  abstract forgetAll(streams: readonly string[]): Promise<void>;
}

/** The number of a payout. */
export interface PayoutPhone {
  readonly stream: string;
  readonly phoneHmac: string;
  readonly phone: string;
}

/** One payout of a batch, its fee fixed. */
export interface BatchItem {
  readonly reference: string;
  readonly phone: string;
  readonly amountMinor: Minor;
  readonly feeMinor: Minor;
}

/**
 * What batches ask for, payout by payout, sealed: from before a batch is recorded until all of its payouts are, so that
 * another process can finish what one has begun.
 */
export abstract class PayoutBatchItems {
  /**
   * Durable before it resolves.
   * @param id of the batch's first event
   * @throws DependencyUnavailable
   */
  abstract keep(id: string, stream: string, items: readonly BatchItem[]): Promise<void>;
  /** @throws DependencyUnavailable */
  abstract find(id: string): Promise<readonly BatchItem[] | undefined>;
  /** @throws DependencyUnavailable */
  abstract forget(id: string): Promise<void>;
}

/** Answers whether a wallet ever paid a number; served from a view, which may lag: it can only say "never" too often. */
export abstract class PaidNumbers {
  /** @throws DependencyUnavailable */
  abstract hasPaid(wallet: Wallet, phoneHmac: string): Promise<boolean>;
}

/**
 * Answers whether the rail was given payouts, as the records tell, whatever the log does: it may have been restored to a
 * point before (PAY-39).
 */
export abstract class PayoutOrders {
  /** Those of the payouts with these streams that the rail was given. @throws DependencyUnavailable */
  abstract givenOf(streams: readonly string[]): Promise<ReadonlySet<string>>;

  /** Whether the rail was given any of them. @throws DependencyUnavailable */
  async wereGiven(streams: readonly string[]): Promise<boolean> {
    return (await this.givenOf(streams)).size > 0;
  }
}

/** PAYOUT_MAX_AGE: how long an approval counts that no start followed (PAY-48). */
export class PayoutAge {
  constructor(readonly maxMs: number) {}
}

/** A payment out, as it is sent once. */
export interface PayoutOrder {
  readonly channel: string;
  readonly mode: Mode;
  /** The payout's stream; the addresses for the rail's results carry it, encrypted. */
  readonly stream: string;
  readonly originatorConversationId: string;
  /** International digits-only form; lives as long as the call needs it. */
  readonly phone: string;
  readonly amountMinor: Minor;
}

/**
 * The rail answered: it took the order, or refused it at once, so that nothing will be paid for it. `proof`: of its own
 * bytes, where there are any.
 */
export type PayoutAnswer = (
  | { readonly kind: 'accepted'; readonly conversationId: string }
  | { readonly kind: 'refused'; readonly failureCode: string }
) & { readonly proof?: Proof };

/** `unknown`: nobody can say whether the rail took the order, so it is never sent again; a result or a query decides. */
export type PayoutOutcome = PayoutAnswer | { readonly kind: 'unknown' };

/** A payment out as we name it to its rail. */
export interface RailPayoutName {
  readonly channel: string;
  readonly mode: Mode;
  readonly stream: string;
  readonly originatorConversationId: string;
}

/** The rails' payments out. The rail's results come by callback, those of its status query as well. */
export abstract class PayoutRail {
  /** Undefined where this mode has no rail that pays out. */
  abstract payoutLimits(channel: string, mode: Mode): RailLimits | undefined;
  /** Resolves within its deadline, whatever the rail does; never rejects for the rail's sake. */
  abstract pay(order: PayoutOrder): Promise<PayoutOutcome>;
  /** What the rail's own account holds, as lately told; undefined where it is not known. */
  abstract floatOf(channel: string, mode: Mode): Promise<Minor | undefined>;
}
