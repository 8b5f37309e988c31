import { randomBytes } from 'node:crypto';
import { type Mode, modes } from '#domain/kernel';
import { type QueryOutcome, type RailLimits, type RailPayment } from '#domain/rails';
import {
  type AnsweredPush,
  bearerSeal,
  type Callback,
  type Prompt,
  type RailAdapter,
  type RailCallbacks,
  type RailFactory,
  type RailPayouts,
} from '#edges/rails';
import { RailTokenCache } from '#infra/redis';
import { type AirtelRailSettings } from '#infra/runtime';
import { readCallback } from './airtel/callback-body.js';
import { payoutReports } from './airtel/payout-answers.js';
import { AirtelAccount, type AirtelAccountOptions } from './airtel-account.js';

/** KES 250,000 a transaction. */
const maxMinor = 25_000_000n;
const currency = 'KES';

interface AirtelRailOptions extends Omit<AirtelAccountOptions, 'mode' | 'settings' | 'currency'> {
  /** A mode without settings has no rail. */
  readonly rails: Readonly<Record<Mode, AirtelRailSettings | undefined>>;
}

/** Airtel Money, from the settings RAIL_AIRTEL_<mode>_*; all instances share a bearer token in Redis. */
export const airtel: RailFactory = ({ settings, redis, keyring, clock, timer, metrics }) =>
  new AirtelRail({
    clock,
    timer,
    metrics,
    randomBytes,
    rails: settings.rails.airtel,
    pushTimeoutMs: settings.railPushTimeoutMs,
    tokens: (options) => new RailTokenCache(redis, options, bearerSeal(keyring)),
  });

/** The callbacks of Airtel Money. */
export class AirtelCallbacks implements RailCallbacks {
  readonly channel = 'airtel';
  readonly acknowledgement = {};
  readonly usesOurReference = true;
  readonly payoutReports = payoutReports;

  readCallback(bytes: Uint8Array): Callback | undefined {
    return readCallback(bytes);
  }

  /** Airtel publishes no addresses, and its callbacks are only hints. */
  isOwnAddress(): boolean {
    return false;
  }
}

/** Airtel Money in Kenya, with one account for each configured mode. */
export class AirtelRail extends AirtelCallbacks implements RailAdapter {
  readonly #rails: AirtelRailOptions['rails'];
  readonly #accounts: ReadonlyMap<Mode, AirtelAccount>;

  constructor({ rails, ...options }: AirtelRailOptions) {
    super();
    this.#rails = rails;
    this.#accounts = new Map(
      modes.flatMap((mode) => {
        const settings = rails[mode];
        return settings
          ? [[mode, new AirtelAccount({ ...options, mode, settings, currency })]]
          : [];
      }),
    );
  }

  limits(mode: Mode): RailLimits | undefined {
    const settings = this.#rails[mode];
    return settings && { maxMinor, stepMinor: settings.stepMinor, currencies: [currency] };
  }

  async push({ mode, ...prompt }: Prompt): Promise<AnsweredPush> {
    return (
      this.#accounts.get(mode)?.push(prompt) ?? {
        kind: 'refused',
        failureCode: 'rail_unavailable',
      }
    );
  }

  async query({ mode, railReference }: Omit<RailPayment, 'channel'>): Promise<QueryOutcome> {
    return (
      this.#accounts.get(mode)?.query(railReference) ?? { kind: 'not_asked', why: 'unreachable' }
    );
  }

  readonly payouts: RailPayouts = {
    payoutLimits: (mode) => (this.#rails[mode]?.payouts ? this.limits(mode) : undefined),
    // No enquiry tells what became of Airtel's own refund, so a refund is a payout to the number that paid (AIR-13).
    reverses: () => false,
    perSecond: (mode) => this.#rails[mode]?.payouts?.perSecond ?? 1,
    canPay: async (mode) => (await this.#accounts.get(mode)?.canPay()) ?? false,
    pay: async (order) =>
      this.#accounts.get(order.mode)?.pay(order) ?? {
        kind: 'refused',
        failureCode: 'rail_unavailable',
      },
    askAboutPayout: async ({ mode, originatorConversationId }) =>
      this.#accounts.get(mode)?.askAboutPayout(originatorConversationId) ?? 'not_asked',
    askForFloat: async (mode) => this.#accounts.get(mode)?.askForFloat() ?? 'not_asked',
  };

  async close(): Promise<void> {
    await Promise.all([...this.#accounts.values()].map((account) => account.close()));
  }
}
