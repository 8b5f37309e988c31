import { type RailCallbacks } from './rail-adapter.js';

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
