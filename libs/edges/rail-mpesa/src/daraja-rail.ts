import {
  type Answered,
  type AnsweredPush,
  bearerSeal,
  type Callback,
  type NoticeAddresses,
  type NoticesRegistered,
  type PaymentNotices,
  type PayoutReports,
  type Prompt,
  type RailAdapter,
  type RailBalances,
  RailAddresses,
  type RailCallbacks,
  type RailFactory,
  type RailPaymentLists,
  type RailPayouts,
  type RailReceiptQuestions,
} from '#edges/rails';
import { type Mode, modes } from '#domain/kernel';
import {
  type PushAnswer,
  type QueryOutcome,
  type RailLimits,
  type RailPayment,
} from '#domain/rails';
import { RailTokenCache } from '#infra/redis';
import { type MpesaRailSettings } from '#infra/runtime';
import { type SubscriberSeal } from '#shared/signing';
import { pullLookBackMs } from './daraja/pull.js';
import { readCallback } from './daraja/callback-body.js';
import { CheckoutIds } from './daraja/checkout-ids.js';
import { readNotice } from './daraja/notice-body.js';
import { readBalances } from './daraja/balance-body.js';
import { readReceiptAnswer } from './daraja/receipt-answer.js';
import { readFloat, readPayoutAnswer, readPayoutResult } from './daraja/result-body.js';
import { DarajaAccount, type DarajaAccountOptions } from './daraja-account.js';

const eastAfrica = 'Africa/Nairobi';

/** The settings of a mode's callbacks (RAIL_MPESA_<mode>_*). */
type CallbackSettings = Pick<
  MpesaRailSettings,
  'callbackIps' | 'shortcode' | 'till' | 'c2bAccount' | 'refusesUnnamed'
>;

/** Reads and acknowledges Daraja's callbacks. */
export class MpesaCallbacks implements RailCallbacks {
  readonly channel = 'mpesa';
  readonly acknowledgement = { ResultCode: 0, ResultDesc: 'Accepted' };
  readonly payoutReports: PayoutReports = {
    readResult: readPayoutResult,
    readAnswer: readPayoutAnswer,
    readFloat,
  };
  readonly notices: PaymentNotices = {
    timezone: eastAfrica,
    read: readNotice,
    readReceiptAnswer,
    isOurs: (mode, shortCode) => {
      const { shortcode, till } = this.#settings[mode] ?? {};
      return shortCode === shortcode || shortCode === till;
    },
    unnamedAccount: (mode) => this.#settings[mode]?.c2bAccount,
    refusesUnnamed: (mode) => this.#settings[mode]?.refusesUnnamed === true,
    refusal: { ResultCode: 'C2B00012', ResultDesc: 'Rejected' },
  };

  protected readonly checkoutIds: CheckoutIds;
  readonly #settings: Readonly<Record<Mode, CallbackSettings | undefined>>;
  readonly #addresses: RailAddresses;

  /** @param settings of each mode that has a rail */
  constructor(
    settings: Readonly<Record<Mode, CallbackSettings | undefined>>,
    subscribers: SubscriberSeal,
  ) {
    this.#settings = settings;
    const { live, demo } = settings;
    this.#addresses = new RailAddresses({ live: live?.callbackIps, demo: demo?.callbackIps });
    this.checkoutIds = new CheckoutIds(subscribers);
  }

  readBalances = readBalances;

  readCallback(bytes: Uint8Array): Callback | undefined {
    const read = readCallback(bytes);
    return read && { ...read, railReference: this.checkoutIds.referenceOf(read.railReference) };
  }

  isOwnAddress(mode: Mode, address: string | undefined): boolean {
    return this.#addresses.has(mode, address);
  }
}

interface DarajaRailOptions extends Omit<DarajaAccountOptions, 'mode' | 'settings'> {
  /** A mode without settings has no rail. */
  readonly rails: Readonly<Record<Mode, MpesaRailSettings | undefined>>;
  readonly subscribers: SubscriberSeal;
}

/** KES 250,000 a transaction. */
const maxMinor = 25_000_000n;

/** M-Pesa, from the settings RAIL_MPESA_<mode>_*; all instances share a bearer token in Redis. */
export const mpesa: RailFactory = ({ settings, redis, keyring, subscribers, ...parts }) =>
  new DarajaRail({
    ...parts,
    rails: settings.rails.mpesa,
    subscribers,
    pushTimeoutMs: settings.railPushTimeoutMs,
    tokens: (options) => new RailTokenCache(redis, options, bearerSeal(keyring)),
  });

/** M-Pesa through Safaricom's Daraja, with one account for each configured mode. */
export class DarajaRail extends MpesaCallbacks implements RailAdapter {
  readonly #rails: DarajaRailOptions['rails'];
  readonly #accounts: ReadonlyMap<Mode, DarajaAccount>;

  constructor({ rails, subscribers, ...options }: DarajaRailOptions) {
    super(rails, subscribers);
    this.#rails = rails;
    this.#accounts = new Map(
      modes.flatMap((mode) => {
        const settings = rails[mode];
        return settings ? [[mode, new DarajaAccount({ ...options, mode, settings })]] : [];
      }),
    );
  }

  limits(mode: Mode): RailLimits | undefined {
    const settings = this.#rails[mode];
    if (!settings) return undefined;
    const { stepMinor, shortcode, till } = settings;
    // A till's customer types no account.
    const payBill = till === undefined ? { payBill: shortcode } : {};
    return { maxMinor, stepMinor, currencies: ['KES'], ...payBill };
  }

  async push({ mode, ...prompt }: Prompt): Promise<AnsweredPush> {
    const account = this.#accounts.get(mode);
    if (!account) return { kind: 'refused', failureCode: 'rail_unavailable' };
    const outcome = await account.push(prompt);
    return outcome.kind === 'unknown'
      ? { ...outcome, late: outcome.late.then((answer) => answer && this.#kept(answer)) }
      : this.#kept(outcome);
  }

  #kept(answer: Answered<PushAnswer>): Answered<PushAnswer> {
    return answer.kind === 'accepted'
      ? { ...answer, railReference: this.checkoutIds.referenceOf(answer.railReference) }
      : answer;
  }

  async query({ mode, railReference }: Omit<RailPayment, 'channel'>): Promise<QueryOutcome> {
    const account = this.#accounts.get(mode);
    return account
      ? account.query(this.checkoutIds.idOf(railReference))
      : { kind: 'not_asked', why: 'unreachable' };
  }

  readonly payouts: RailPayouts = {
    payoutLimits: (mode) => (this.#rails[mode]?.payouts ? this.limits(mode) : undefined),
    reverses: (mode) => this.#rails[mode]?.payouts?.reverses === true,
    perSecond: (mode) => this.#rails[mode]?.payouts?.perSecond ?? 1,
    canPay: async (mode) => (await this.#accounts.get(mode)?.canPay()) ?? false,
    pay: async ({ mode, ...payment }) =>
      this.#accounts.get(mode)?.pay(payment) ?? {
        kind: 'refused',
        failureCode: 'rail_unavailable',
      },
    askAboutPayout: async ({ mode, ...asked }) =>
      this.#accounts.get(mode)?.askAboutPayout(asked) ?? 'not_asked',
    askForFloat: async (mode, addresses) =>
      this.#accounts.get(mode)?.askForFloat(addresses) ?? 'not_asked',
  };

  async registerNotices(mode: Mode, addresses: NoticeAddresses): Promise<NoticesRegistered> {
    return this.#accounts.get(mode)?.registerNotices(addresses) ?? { kind: 'not_configured' };
  }

  readonly receiptQuestions: RailReceiptQuestions = {
    // The list names the account that the customer typed, which the answer to a question does not.
    canAsk: (mode) => this.#rails[mode]?.payouts !== undefined && !this.#rails[mode].pulls,
    ask: async (mode, receipt, addresses) =>
      this.#accounts.get(mode)?.askAboutReceipt({ receipt, ...addresses }) ?? 'not_asked',
  };

  readonly paymentLists: RailPaymentLists = {
    timezone: eastAfrica,
    lookBackMs: (mode) => (this.#rails[mode]?.pulls ? pullLookBackMs : undefined),
    ask: async (mode, page) => this.#accounts.get(mode)?.taken(page) ?? { kind: 'not_asked' },
  };

  readonly balances: RailBalances = {
    shortCodes: (mode) => this.#accounts.get(mode)?.balanceShortCodes() ?? [],
    ask: async (mode, shortCode, addresses) =>
      this.#accounts.get(mode)?.askForBalances(shortCode, addresses) ?? 'not_asked',
  };

  async close(): Promise<void> {
    await Promise.all([...this.#accounts.values()].map((account) => account.close()));
  }
}
