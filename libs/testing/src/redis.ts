import { randomBytes } from 'node:crypto';

/** The run's Redis and a prefix that no other spec uses, for `new RedisStore({ …redisNamespace(), logger })`. */
export function redisNamespace(): {
  readonly url: string;
  readonly prefix: string;
  readonly commandTimeoutMs: number;
} {
  const url = process.env['REDIS_URL'];
  if (url === undefined)
    throw new Error('REDIS_URL is not set: integration specs are named .int.spec.ts');
  // A busy machine may take this long for an answer.
  const commandTimeoutMs = 60_000;
  return { url, prefix: `test-${randomBytes(6).toString('hex')}:`, commandTimeoutMs };
}
