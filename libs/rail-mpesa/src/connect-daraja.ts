import { RailTokenCache, type RedisStore } from '#redis';
import { type ProcessContext } from '#runtime';
import { type Keyring } from '#signing';
import { DarajaRail } from './daraja-rail.js';

/** The rail of a process, as its settings say; its tokens are shared with the other processes through Redis. */
export function connectDaraja(
  { settings, clock, metrics }: Pick<ProcessContext, 'settings' | 'clock' | 'metrics'>,
  keyring: Keyring,
  redis: RedisStore,
): DarajaRail {
  return new DarajaRail({
    rails: settings.rails.mpesa,
    baseUrl: settings.baseUrl,
    pushTimeoutMs: settings.railPushTimeoutMs,
    tokens: (options) => new RailTokenCache(redis, options),
    keyring,
    clock,
    metrics,
  });
}
