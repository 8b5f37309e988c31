import {
  type PushOutcome,
  type QueryOutcome,
  type RailLimits,
  type RailPayment,
} from '#domain/collections';
import { type Mode, modes } from '#domain/kernel';
import { type Prompt, type RailAdapter, type RailFactory, type RailPayouts } from '#edges/rails';
import { RailTokenCache } from '#infra/redis';
import { type MpesaRailSettings } from '#infra/runtime';
import { bearerSeal } from './daraja/bearer-seal.js';
import { DarajaAccount, type DarajaAccountOptions } from './daraja-account.js';
import { MpesaCallbacks } from './mpesa-callbacks.js';

export interface DarajaRailOptions extends Omit<DarajaAccountOptions, 'mode' | 'settings'> {
  /** A mode without settings has no rail. */
  readonly rails: Readonly<Record<Mode, MpesaRailSettings | undefined>>;
}

/** KES 250,000 a transaction. */
const maxMinor = 25_000_000n;

/** M-Pesa, from the settings RAIL_MPESA_<mode>_*; all instances share a bearer token in Redis. */
export const mpesa: RailFactory = ({ settings, redis, keyring, clock, timer, metrics }) =>
  new DarajaRail({
    rails: settings.rails.mpesa,
    pushTimeoutMs: settings.railPushTimeoutMs,
    tokens: (options) => new RailTokenCache(redis, options, bearerSeal(keyring)),
    clock,
    timer,
    metrics,
  });

/** M-Pesa through Safaricom's Daraja, an account for each mode that is configured. */
export class DarajaRail extends MpesaCallbacks implements RailAdapter {
  readonly #rails: DarajaRailOptions['rails'];
  readonly #accounts: ReadonlyMap<Mode, DarajaAccount>;

  constructor({ rails, ...options }: DarajaRailOptions) {
    super({ live: rails.live?.callbackIps, demo: rails.demo?.callbackIps });
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
    return settings && { maxMinor, stepMinor: settings.stepMinor, currencies: ['KES'] };
  }

  async push({ mode, ...prompt }: Prompt): Promise<PushOutcome> {
    const account = this.#accounts.get(mode);
    return account ? account.push(prompt) : { kind: 'refused', failureCode: 'rail_unavailable' };
  }

  async query({ mode, railReference }: Omit<RailPayment, 'channel'>): Promise<QueryOutcome> {
    const account = this.#accounts.get(mode);
    return account ? account.query(railReference) : { kind: 'not_asked', why: 'unreachable' };
  }

  readonly payouts: RailPayouts = {
    payoutLimits: (mode) => (this.#rails[mode]?.payouts ? this.limits(mode) : undefined),
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

  async close(): Promise<void> {
    await Promise.all([...this.#accounts.values()].map((account) => account.close()));
  }
}
