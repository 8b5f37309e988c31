import { type Metrics } from '#infra/runtime';
import { type RedisStore } from './redis-store.js';

/** Redis' memory in use and its limit, read whenever somebody reads the metrics; NaN where Redis does not answer. */
export function observeMemory(metrics: Metrics, store: RedisStore): void {
  metrics.gauge({
    name: 'redis_used_memory_bytes',
    help: 'Memory that Redis uses; alert above 70 % of its limit',
    collect: () => store.memory().then(({ usedBytes }) => usedBytes, unknown),
  });
  metrics.gauge({
    name: 'redis_max_memory_bytes',
    help: 'Redis’ maxmemory; +Inf where it has none',
    collect: () => store.memory().then(({ maxBytes }) => maxBytes ?? Infinity, unknown),
  });
}

const unknown = (): number => NaN;
