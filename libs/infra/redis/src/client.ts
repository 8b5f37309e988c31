import { readRedisUrl } from '#infra/runtime';
import { Redis, type RedisOptions } from 'ioredis';

/** An unreachable Sentinel must leave time for the next one within a command's deadline. */
const sentinelTimeoutMs = 500;

/**
 * Returns a client for the server that the URL names. If it names Sentinels, the client asks them for the primary at each
 * connection, and leaves a former primary as soon as they name another one.
 */
export function clientOf(url: string, options: Omit<RedisOptions, 'replyMapping'>): Redis {
  const read = readRedisUrl(url);
  if ('problem' in read) throw new TypeError(`REDIS_URL: ${read.problem}`);
  if (read.kind === 'server') return new Redis(read.url, options);
  const { kind: _, hosts: __, usesTls, sentinels, ...names } = read;
  return new Redis({
    ...options,
    ...names,
    sentinels: sentinels.map((address) => ({ ...address })),
    sentinelCommandTimeout: sentinelTimeoutMs,
    failoverDetector: true,
    ...(usesTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}
