import { type Mode } from '#domain/kernel';
import { byChannel } from '../by-channel.js';
import { sealReceiptToken } from '../callback/callback-keys.js';
import { type BalanceRailsOptions } from '../balances/balance-rails.js';
import { type Asked, type RailAdapter, type RailReceiptQuestions } from '../rail-adapter.js';

/** A payment to us, as a notice names it. */
export interface NamedReceipt {
  readonly channel: string;
  readonly mode: Mode;
  readonly receipt: string;
}

/** The rails that can be asked about a receipt (C2B-19). */
export class ReceiptRails {
  readonly #byChannel: ReadonlyMap<string, RailReceiptQuestions>;

  constructor(
    adapters: readonly Pick<RailAdapter, 'channel' | 'receiptQuestions'>[],
    private readonly options: BalanceRailsOptions,
  ) {
    this.#byChannel = byChannel(adapters, 'receiptQuestions');
  }

  canAsk({ channel, mode }: Pick<NamedReceipt, 'channel' | 'mode'>): boolean {
    return this.#byChannel.get(channel)?.canAsk(mode) === true;
  }

  /** Asks about a receipt. Each question has an address of its own, which only the rail gets to know. */
  async ask({ channel, mode, receipt }: NamedReceipt): Promise<Asked> {
    const { keyring, ids, baseUrl, clock } = this.options;
    const of = { channel, mode, receipt, askedAtMs: clock.nowMs() };
    const url = `${baseUrl}/rails/${sealReceiptToken(keyring, of, ids.next())}`;
    // A queue timeout says nothing of the payment, so it is then ignored.
    const addresses = { resultUrl: url, timeoutUrl: url };
    return (await this.#byChannel.get(channel)?.ask(mode, receipt, addresses)) ?? 'not_asked';
  }
}
