import { type Clock, type Ids, type Mode, modes } from '#domain/kernel';
import { type Keyring } from '#shared/signing';
import { byChannel } from '../by-channel.js';
import { sealBalanceToken } from '../callback/callback-keys.js';
import { type RailAccount } from '../payouts/rail-floats.js';
import { type Asked, type RailAdapter, type RailBalances } from '../rail-adapter.js';

export interface BalanceRailsOptions {
  /** BASE_URL: the rails' answers go to this address, without a trailing slash. */
  readonly baseUrl: string;
  readonly keyring: Keyring;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** The rails that report the balances of their own accounts (BAL-1). */
export class BalanceRails {
  readonly #byChannel: ReadonlyMap<string, RailBalances>;

  constructor(
    adapters: readonly Pick<RailAdapter, 'channel' | 'balances'>[],
    private readonly options: BalanceRailsOptions,
  ) {
    this.#byChannel = byChannel(adapters, 'balances');
  }

  /** The accounts of a mode that this process can ask about. */
  accounts(mode: Mode): readonly RailAccount[] {
    return [...this.#byChannel.keys()]
      .map((channel) => ({ channel, mode }))
      .filter((account) => this.shortCodes(account).length > 0);
  }

  /** All of them. */
  all(): readonly RailAccount[] {
    return modes.flatMap((mode) => this.accounts(mode));
  }

  shortCodes({ channel, mode }: RailAccount): readonly string[] {
    return this.#byChannel.get(channel)?.shortCodes(mode) ?? [];
  }

  /** Asks about one short code. The answer arrives by callback. */
  async ask({ channel, mode }: RailAccount, shortCode: string, askedAtMs: number): Promise<Asked> {
    const { keyring, ids, baseUrl } = this.options;
    const of = { channel, mode, shortCode, askedAtMs };
    const url = `${baseUrl}/rails/${sealBalanceToken(keyring, of, ids.next())}`;
    // A queue timeout contains no balance, so it is then ignored.
    const addresses = { resultUrl: url, timeoutUrl: url };
    const balances = this.#byChannel.get(channel);
    return (await balances?.ask(mode, shortCode, addresses)) ?? 'not_asked';
  }

  /** Returns now, by this process's clock. */
  nowMs(): number {
    return this.options.clock.nowMs();
  }
}
