import { type Mode, modes } from '#domain/kernel';
import { type RailAdapter, type RailTakings } from '../rail-adapter.js';

/** A rail's mode that can list the payments it took. */
export interface TakingRail {
  readonly channel: string;
  readonly mode: Mode;
  readonly lookBackMs: number;
  readonly timezone: string;
}

/** The rails that can list the payments they took (REC-20). */
export class TakingRails {
  readonly #byChannel: ReadonlyMap<string, RailTakings>;

  constructor(adapters: readonly Pick<RailAdapter, 'channel' | 'takings'>[]) {
    this.#byChannel = new Map(
      adapters.flatMap(({ channel, takings }) => (takings ? [[channel, takings]] : [])),
    );
  }

  all(): readonly TakingRail[] {
    return [...this.#byChannel].flatMap(([channel, takings]) =>
      modes.flatMap((mode) => {
        const [lookBackMs, { timezone }] = [takings.lookBackMs(mode), takings];
        return lookBackMs === undefined ? [] : [{ channel, mode, lookBackMs, timezone }];
      }),
    );
  }

  async ask(
    { channel, mode }: Pick<TakingRail, 'channel' | 'mode'>,
    page: Parameters<RailTakings['ask']>[1],
  ): ReturnType<RailTakings['ask']> {
    return this.#byChannel.get(channel)?.ask(mode, page) ?? { kind: 'not_asked' };
  }
}
