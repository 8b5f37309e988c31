import {
  type PushAnswer,
  type PushRequest,
  type QueryOutcome,
  type RailLimits,
  type RailPayment,
  type Verdict,
  type WhenSilent,
} from '#domain/rails';
import { type Clock, type Instant, type Minor, type Mode, type Timer } from '#domain/kernel';
import { type PayoutAnswer, type RailOrder, type RailPayoutName } from '#domain/payouts';
import { type RedisStore } from '#infra/redis';
import { type Metrics, type Settings, AddressRanges } from '#infra/runtime';
import { type Keyring, type SubscriberSeal } from '#shared/signing';
import { type BalanceReport } from './balances/balance-rounds.js';

/** The content of a callback, not yet believed. */
export interface Callback {
  readonly railReference: string;
  /** Absent if the rail gave none. */
  readonly merchantRequestId?: string;
  readonly verdict: Verdict;
  /** The callback says "paid" but has no readable amount, so nothing may be posted on it alone. */
  readonly isAmountUnreadable?: true;
}

/** A report about a payout, not yet believed. */
export interface PayoutCallback {
  readonly originatorConversationId: string;
  /** The rail's own name for the payment, if it is given. */
  readonly conversationId?: string;
  /** The receipt of the payment that was reversed, if the report is about a reversal and names it. */
  readonly reverses?: string;
  readonly verdict: Verdict;
}

/** A rail's callbacks. */
export interface RailCallbacks {
  /** The rail's name in collections, lower-case letters, digits and hyphens, such as `mpesa`. It never changes. */
  readonly channel: string;
  /**
   * True if the rail knows each push by our account reference, which is then its rail reference, and calls back at one
   * address for all pushes. Absent if it names pushes itself, and calls each one's own address.
   */
  readonly usesOurReference?: true;
  /** The body that the rail expects as the answer to every callback. */
  readonly acknowledgement: object;
  /** Reads a callback's body; returns undefined if it is none. Never throws. */
  readCallback(bytes: Uint8Array): Callback | undefined;
  /** True if callbacks from this address are the rail's own in that mode. */
  isOwnAddress(mode: Mode, address: string | undefined): boolean;
  /** Absent if the rail pays nothing out. */
  readonly payoutReports?: PayoutReports;
  /** Absent if the rail sends no notices of payments without a push. */
  readonly notices?: PaymentNotices;
  /**
   * Reads the answer to a question for balances; undefined if the body is none. Never throws. Absent if the rail reports
   * none.
   */
  readBalances?(bytes: Uint8Array): BalanceReport | undefined;
}

/** A rail's message about a payment that came without a push, not yet believed. */
export interface PaymentNotice {
  readonly payment: TakenPayment;
  /** The short code that received the payment. */
  readonly shortCode: string;
}

/**
 * The rail's answer to a question about a receipt (C2B-19). Only a payment to a short code that was made is `paid`.
 * `code` is a result code of the rail that is in no list of ours. `isAskerRefused`: the rail refused the initiator of the
 * question, so every other question would fail, too.
 */
export type ReceiptAnswer =
  | { readonly kind: 'paid'; readonly notice: PaymentNotice }
  | {
      readonly kind: 'not_paid';
      readonly why: 'receipt_not_known' | 'receipt_not_paid' | 'receipt_unclear';
      readonly code?: string;
      readonly isAskerRefused?: boolean;
    };

/** A rail's notices of payments without a push (C2B-1). */
export interface PaymentNotices {
  /** The time zone of the rail's days. */
  readonly timezone: string;
  /** Reads a notice; returns undefined if the body is none. Never throws. */
  read(bytes: Uint8Array): PaymentNotice | undefined;
  /** Reads the answer to a question about a receipt; returns undefined if the body is none. Never throws. */
  readReceiptAnswer(bytes: Uint8Array): ReceiptAnswer | undefined;
  /** True if the short code is this installation's in that mode. */
  isOurs(mode: Mode, shortCode: string): boolean;
  /** Returns the account that holds payments whose customers named no account; undefined if there is none (C2B-5). */
  unnamedAccount(mode: Mode): string | undefined;
  /** True if a payment that names no account is refused when the rail asks before it takes the money (C2B-9). */
  refusesUnnamed(mode: Mode): boolean;
  /** The body that refuses such a payment. `acknowledgement` accepts it. */
  readonly refusal: object;
}

/** The addresses for a rail's notices. */
export interface NoticeAddresses {
  readonly confirmationUrl: string;
  readonly validationUrl: string;
  readonly whenSilent: WhenSilent;
}

/**
 * The rail's answer to a registration. `registered_before`: it has addresses already, and takes others only after they
 * were deleted at the rail. `unfit_address`: the rail refuses such addresses. `not_asked`: it is certain that the rail did not look at it. `unanswered`: it may have taken
 * it.
 */
export type NoticesRegistered =
  | { readonly kind: 'registered'; readonly shortCode: string }
  | { readonly kind: 'refused'; readonly code: string }
  | {
      readonly kind:
        'registered_before' | 'unfit_address' | 'not_configured' | 'not_asked' | 'unanswered';
    };

/** Readers of a rail's reports about payouts. They return undefined if the body is no such report, and never throw. */
export interface PayoutReports {
  /** Reads the result of a payment. A success without a readable amount is unresolved. */
  readResult(bytes: Uint8Array): PayoutCallback | undefined;
  /** Reads the answer to a status query, about the payment that was asked about. */
  readAnswer(bytes: Uint8Array): PayoutCallback | undefined;
  /** Reads the balance of the account from which payouts are paid. */
  readFloat(bytes: Uint8Array): Minor | undefined;
}

/** The addresses that the rail reports to. */
export interface ReportAddresses {
  readonly resultUrl: string;
  /** The rail calls this if its queue took too long. The call says nothing about the payment. */
  readonly timeoutUrl: string;
}

/**
 * The outcome of a question whose answer arrives by callback. `taken`: the rail will answer. `not_asked`: it is certain
 * that the rail did not take it. `unanswered`: the outcome is unknown.
 */
export type Asked = 'taken' | 'not_asked' | 'unanswered';

/** A rail that answers a question at once. */
export interface AnsweredAtOnce {
  /** The answer, as a report of the rail would bring it. */
  readonly raw: Uint8Array;
}

/** A rail's answer, with its bytes if it sent any. */
export type Answered<Answer> = Answer & { readonly raw?: Uint8Array };

/** Like the domain's PushOutcome. */
export type AnsweredPush =
  | Answered<PushAnswer>
  | { readonly kind: 'unknown'; readonly late: Promise<Answered<PushAnswer> | undefined> };

/** Like the domain's PayoutOutcome. `isTaken`: the rail said that it took the order, but not under which name. */
export type AnsweredOrder =
  Answered<PayoutAnswer> | { readonly kind: 'unknown'; readonly isTaken?: true };

/** A rail's payouts. Each promise resolves within RAIL_PUSH_TIMEOUT and never rejects. */
export interface RailPayouts {
  /** Returns undefined if the mode pays nothing out. */
  payoutLimits(mode: Mode): RailLimits | undefined;
  /** True if the mode can give a payment back by its receipt, as a whole. */
  reverses(mode: Mode): boolean;
  /** Returns how many payouts a second one process may give to the rail. Above 0. */
  perSecond(mode: Mode): number;
  /**
   * True if the rail could be given an order now, as far as this can be known without sending one. Bounded in time;
   * never rejects because of the rail.
   */
  canPay(mode: Mode): Promise<boolean>;
  /** Sends the order once, and again only if it is certain that the rail did not take it. */
  pay(order: RailOrder & ReportAddresses): Promise<AnsweredOrder>;
  askAboutPayout(
    payout: Omit<RailPayoutName, 'channel' | 'stream'> & ReportAddresses,
  ): Promise<Asked | AnsweredAtOnce>;
  askForFloat(mode: Mode, addresses: ReportAddresses): Promise<Asked | AnsweredAtOnce>;
}

/** A payment that the rail says it took, even if no collection asked for it. */
export interface TakenPayment {
  readonly receipt: string;
  readonly paidAt: Instant;
  /** The list does not name the time zone, so the time may be in the rail's own zone or in UTC. */
  readonly isZoneUncertain?: true;
  readonly amountMinor: Minor;
  /** The account that the rail was given, if it can be a code of ours. */
  readonly code?: string;
  /** The account number that the customer named, which need not be one of ours. It is never stored as it is. */
  readonly accountNo?: string;
  /** The reference that the customer named after the account number, in capitals, if it can be an expected payment's. */
  readonly reference?: string;
  /** The customer's number, masked. */
  readonly party?: string;
  /** The list has it under a type that is not known as a customer's payment, so only a person may decide (REC-41). */
  readonly isKindUnknown?: true;
}

/** Money that the rail says it moved from its account to the organisation's bank (SWEEP-1). */
export interface TakenSweep extends Pick<
  TakenPayment,
  'receipt' | 'paidAt' | 'isZoneUncertain' | 'amountMinor'
> {
  readonly currency: string;
}

/**
 * `not_asked`: it is certain that the rail did not look at the question. `unanswered`: there is no readable answer.
 * `nothing_told`: the rail answered and named no payment, which does not prove that there was none.
 */
export type TakenAnswer =
  | {
      readonly kind: 'page';
      readonly payments: readonly TakenPayment[];
      /** Absent if there is none. */
      readonly sweeps?: readonly TakenSweep[];
      /** The number of the organisation's other transfers, which are no payments. Absent if there is none. */
      readonly transfers?: number;
      /** The number of entries that cannot be read as a payment or as a sweep. */
      readonly unreadable: number;
      /** The offset of the next page; absent if this page was empty and so is the last. */
      readonly next?: number;
    }
  | { readonly kind: 'not_asked' | 'unanswered' | 'nothing_told' };

/** A rail that reports the balances of its own accounts (BAL-1). */
export interface RailBalances {
  /** Returns the short codes whose accounts belong to the mode; none if it cannot be asked. */
  shortCodes(mode: Mode): readonly string[];
  /** Asks for the balances of one short code. Resolves within RAIL_PUSH_TIMEOUT and never rejects. */
  ask(mode: Mode, shortCode: string, addresses: ReportAddresses): Promise<Asked>;
}

/** A rail that can be asked about one payment to us by its receipt (C2B-19). */
export interface RailReceiptQuestions {
  /** True if the mode can be asked, and has no list of payments that says more. */
  canAsk(mode: Mode): boolean;
  /** Asks about a receipt. The answer arrives by callback. Bounded in time; never rejects. */
  ask(mode: Mode, receipt: string, addresses: ReportAddresses): Promise<Asked>;
}

/** A rail that can list the payments it took from customers (REC-20). */
export interface RailPaymentLists {
  /** The time zone of the rail's days. */
  readonly timezone: string;
  /** Returns how far back the rail can list payments, or undefined if the mode cannot be asked. */
  lookBackMs(mode: Mode): number | undefined;
  /** Asks for one page, bounded in time and size; never rejects. */
  ask(
    mode: Mode,
    page: { readonly fromMs: number; readonly untilMs: number; readonly offset: number },
  ): Promise<TakenAnswer>;
}

/** The prompt on a customer's phone, and the address that the rail calls back. */
export interface Prompt extends Omit<PushRequest, 'channel' | 'stream'> {
  readonly callbackUrl: string;
}

/**
 * One rail, with everything in which it differs from the others. `describeRail` in test/rail/contract.ts states the
 * contract of every adapter.
 */
export interface RailAdapter extends RailCallbacks {
  /** Returns undefined if no such rail is configured for the mode. */
  limits(mode: Mode): RailLimits | undefined;
  /**
   * Resolves within RAIL_PUSH_TIMEOUT; `late` resolves within `lateAnswerMs` more. Neither rejects. A push is sent
   * again only if it is certain that no prompt was shown.
   */
  push(prompt: Prompt): Promise<AnsweredPush>;
  /** Never rejects. An answer that is not clear settles nothing. */
  query(payment: Omit<RailPayment, 'channel'>): Promise<QueryOutcome>;
  /** Absent if the rail pays nothing out. */
  readonly payouts?: RailPayouts;
  /** Absent if the rail cannot list the payments it took. */
  readonly paymentLists?: RailPaymentLists;
  /** Absent if the rail does not report its balances. */
  readonly balances?: RailBalances;
  /** Absent if the rail cannot be asked about a receipt. */
  readonly receiptQuestions?: RailReceiptQuestions;
  /** Registers the addresses for notices; never rejects. Absent if the rail sends none. */
  registerNotices?(mode: Mode, addresses: NoticeAddresses): Promise<NoticesRegistered>;
  /** Aborts the requests in flight. */
  close(): Promise<void>;
}

/** The parts that a process gives to its rails. */
export interface RailParts {
  readonly settings: Settings;
  readonly redis: RedisStore;
  readonly keyring: Keyring;
  /** Hides a customer's number if the rail's own identifiers contain it. */
  readonly subscribers: SubscriberSeal;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly metrics: Metrics;
}

/** Makes a rail's adapter from the settings. The wiring lists one factory for each rail. */
export type RailFactory = (parts: RailParts) => RailAdapter;

/** The rails of this process, by channel. */
export class RailTable {
  readonly #byChannel: ReadonlyMap<string, RailCallbacks>;

  constructor(readonly all: readonly [RailCallbacks, ...RailCallbacks[]]) {
    this.#byChannel = new Map(all.map((rail) => [rail.channel, rail]));
    if (this.#byChannel.size < all.length) throw new TypeError('two rails have the same channel');
  }

  of(channel: string): RailCallbacks | undefined {
    return this.#byChannel.get(channel);
  }

  /** The only rail, or undefined if there are several. */
  get only(): RailCallbacks | undefined {
    return this.all.length === 1 ? this.all[0] : undefined;
  }
}

/** The addresses and CIDRs from which a mode's callbacks are a rail's own. */
export class RailAddresses {
  readonly #ranges: Readonly<Record<Mode, AddressRanges>>;

  constructor(ranges: Readonly<Record<Mode, readonly string[] | undefined>>) {
    this.#ranges = {
      live: new AddressRanges(ranges.live ?? []),
      demo: new AddressRanges(ranges.demo ?? []),
    };
  }

  has(mode: Mode, address: string | undefined): boolean {
    return address !== undefined && this.#ranges[mode].has(address);
  }
}
