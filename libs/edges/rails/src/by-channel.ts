import { type RailAdapter } from './rail-adapter.js';

/** Returns one capability of the adapters, by channel, without the rails that do not have it. */
export function byChannel<K extends keyof RailAdapter>(
  adapters: readonly Pick<RailAdapter, 'channel' | K>[],
  capability: K,
): ReadonlyMap<string, NonNullable<RailAdapter[K]>> {
  return new Map(
    adapters.flatMap((adapter) => {
      const offered: RailAdapter[K] = adapter[capability];
      return offered ? [[adapter.channel, offered] as const] : [];
    }),
  );
}
