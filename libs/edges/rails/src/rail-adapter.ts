import {
  type Verdict,
  type PushAnswer,
  type PushRequest,
  type QueryOutcome,
  type RailLimits,
  type RailPayment,
} from '#domain/collections';
import { type Clock, type Instant, type Minor, type Mode, type Timer } from '#domain/kernel';
import { type PayoutAnswer, type PayoutOrder, type RailPayoutName } from '#domain/payouts';
import { type RedisStore } from '#infra/redis';
import { type Metrics, type Settings, AddressRanges } from '#infra/runtime';
import { type Keyring, type SubscriberSeal } from '#shared/signing';

/** What a callback says, not yet believed. */
export interface Callback {
  readonly railReference: string;
  /** Absent where the rail gave none. */
  readonly merchantRequestId?: string;
  readonly verdict: Verdict;
  /** It tells of success and names no amount that can be read: nothing may be posted on its own strength. */
  readonly isAmountUnreadable?: true;
}

/** What a report says of a payout, not yet believed. */
export interface PayoutCallback {
  readonly originatorConversationId: string;
  /** The rail's own name for the payment, where it is told. */
  readonly conversationId?: string;
  readonly verdict: Verdict;
}

/** How a rail calls back. */
export interface RailCallbacks {
  /** The rail's name in collections, lower-case letters, digits and hyphens, such as `mpesa`. It never changes. */
  readonly channel: string;
  /** What the rail expects as the answer to a callback, whatever becomes of it. */
  readonly acknowledgement: object;
  /** Reads a callback's body; undefined where it is none. Never throws. */
  readCallback(bytes: Uint8Array): Callback | undefined;
  /** Whether callbacks from this address are the rail's own in that mode. */
  isOwnAddress(mode: Mode, address: string | undefined): boolean;
  /** Absent where the rail pays nothing out. */
  readonly payoutReports?: PayoutReports;
}

/** How a rail reports of payouts. Its readers give undefined where the body is no such report, and never throw. */
export interface PayoutReports {
  /** The result of a payment. A success without an amount that can be read is unresolved. */
  readResult(bytes: Uint8Array): PayoutCallback | undefined;
  /** The answer to a status query, about the payment that was asked about. */
  readAnswer(bytes: Uint8Array): PayoutCallback | undefined;
  /** What the account holds from which payouts are paid. */
  readFloat(bytes: Uint8Array): Minor | undefined;
}

/** Where the rail reports to. */
export interface ReportAddresses {
  readonly resultUrl: string;
  /** Called where the rail's queue took too long: it says nothing of the payment. */
  readonly timeoutUrl: string;
}

/**
 * The outcome of a question whose answer comes by callback. `taken`: the rail will answer. `not_asked`: it is certain
 * that the rail did not take it. `unanswered`: nobody knows.
 */
export type Asked = 'taken' | 'not_asked' | 'unanswered';

/** What a rail answered, and the answer's own bytes where it gave one. */
export type Answered<Answer> = Answer & { readonly raw?: Uint8Array };

/** As the domain's PushOutcome. */
export type AnsweredPush =
  | Answered<PushAnswer>
  | { readonly kind: 'unknown'; readonly late: Promise<Answered<PushAnswer> | undefined> };

/** As the domain's PayoutOutcome. `isTaken`: the rail said that it took the order, and not under which name. */
export type AnsweredOrder =
  Answered<PayoutAnswer> | { readonly kind: 'unknown'; readonly isTaken?: true };

/** A rail's payments out; each promise resolves within RAIL_PUSH_TIMEOUT and never rejects. */
export interface RailPayouts {
  /** Undefined where the mode pays nothing out. */
  payoutLimits(mode: Mode): RailLimits | undefined;
  /** How many payouts a second one process may give to the rail. Above 0. */
  perSecond(mode: Mode): number;
  /**
   * Whether the rail could be given an order now, as far as that can be known without one. Bounded in time; never rejects
   * for the rail's sake.
   */
  canPay(mode: Mode): Promise<boolean>;
  /** Sent once; again only where it is certain that the rail did not take it. */
  pay(order: Omit<PayoutOrder, 'channel' | 'stream'> & ReportAddresses): Promise<AnsweredOrder>;
  askAboutPayout(
    payout: Omit<RailPayoutName, 'channel' | 'stream'> & ReportAddresses,
  ): Promise<Asked>;
  askForFloat(mode: Mode, addresses: ReportAddresses): Promise<Asked>;
}

/** A payment that the rail says it took, whoever asked for it. */
export interface TakenPayment {
  readonly receipt: string;
  readonly paidAt: Instant;
  /** The list does not say which zone its time is of: it may be the rail's own one as well as UTC. */
  readonly isZoneUncertain?: true;
  readonly amountMinor: Minor;
  /** What the rail was given as the account, where it can be a code of ours. */
  readonly code?: string;
  /** The customer's number, masked. */
  readonly party?: string;
}

/**
 * `not_asked`: it is certain that the rail did not look at the question. `unanswered`: no answer that can be read.
 * `nothing_told`: the rail answered and named no payment, which does not say that there was none.
 */
export type TakenAnswer =
  | {
      readonly kind: 'page';
      readonly payments: readonly TakenPayment[];
      /** Entries that are no payment that can be read. */
      readonly unreadable: number;
      /** Where the next page begins; absent where this one was empty: the last. */
      readonly next?: number;
    }
  | { readonly kind: 'not_asked' | 'unanswered' | 'nothing_told' };

/** A rail that can be asked what it took of customers (REC-20). */
export interface RailTakings {
  /** Whose days the rail's are. */
  readonly timezone: string;
  /** How far back it can tell; undefined where the mode cannot be asked. */
  lookBackMs(mode: Mode): number | undefined;
  /** One page, bounded in time and size; never rejects. */
  ask(
    mode: Mode,
    page: { readonly fromMs: number; readonly untilMs: number; readonly offset: number },
  ): Promise<TakenAnswer>;
}

/** What is shown on a customer's phone, and where the rail calls back. */
export interface Prompt extends Omit<PushRequest, 'channel' | 'stream'> {
  readonly callbackUrl: string;
}

/**
 * One rail: all in which it differs from the others. `describeRail` in test/rail/contract.ts states what each adapter
 * keeps to.
 */
export interface RailAdapter extends RailCallbacks {
  /** Undefined where the mode has no such rail configured. */
  limits(mode: Mode): RailLimits | undefined;
  /**
   * Resolves within RAIL_PUSH_TIMEOUT; `late` resolves within `lateAnswerMs` more. Neither rejects. A push is sent
   * again only where it is certain that no prompt was shown.
   */
  push(prompt: Prompt): Promise<AnsweredPush>;
  /** Never rejects: what is no clear answer settles nothing. */
  query(payment: Omit<RailPayment, 'channel'>): Promise<QueryOutcome>;
  /** Absent where the rail pays nothing out. */
  readonly payouts?: RailPayouts;
  /** Absent where the rail cannot be asked what it took. */
  readonly takings?: RailTakings;
  /** Cuts off what is in flight. */
  close(): Promise<void>;
}

/** What a process gives to its rails. */
export interface RailParts {
  readonly settings: Settings;
  readonly redis: RedisStore;
  readonly keyring: Keyring;
  /** Hides a customer's number where the rail's own identifiers hold it. */
  readonly subscribers: SubscriberSeal;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly metrics: Metrics;
}

/** Makes a rail's adapter from the settings; the wiring lists one for each rail. */
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

  /** The one rail there is; undefined where there are several. */
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
