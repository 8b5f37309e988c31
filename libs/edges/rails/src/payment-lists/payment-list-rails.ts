import { type Mode, modes } from '#domain/kernel';
import { byChannel } from '../by-channel.js';
import { type RailAdapter, type RailPaymentLists } from '../rail-adapter.js';

/** A rail's mode that can list the payments it took. */
export interface PaymentListRail {
  readonly channel: string;
  readonly mode: Mode;
  readonly lookBackMs: number;
  readonly timezone: string;
}

/** The rails that can list the payments they took (REC-20). */
export class PaymentListRails {
  readonly #byChannel: ReadonlyMap<string, RailPaymentLists>;

  constructor(adapters: readonly Pick<RailAdapter, 'channel' | 'paymentLists'>[]) {
    this.#byChannel = byChannel(adapters, 'paymentLists');
  }

  all(): readonly PaymentListRail[] {
    return [...this.#byChannel].flatMap(([channel, paymentLists]) =>
      modes.flatMap((mode) => {
        const [lookBackMs, { timezone }] = [paymentLists.lookBackMs(mode), paymentLists];
        return lookBackMs === undefined ? [] : [{ channel, mode, lookBackMs, timezone }];
      }),
    );
  }

  async ask(
    { channel, mode }: Pick<PaymentListRail, 'channel' | 'mode'>,
    page: Parameters<RailPaymentLists['ask']>[1],
  ): ReturnType<RailPaymentLists['ask']> {
    return this.#byChannel.get(channel)?.ask(mode, page) ?? { kind: 'not_asked' };
  }
}
