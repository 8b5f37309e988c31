import { type Timer } from '#domain/kernel';

/**
 * The promise's value, or undefined where it takes longer; what it was doing goes on. It waits by the port Timer, in
 * virtual time too: p-timeout would need an adapter to it, longer than this.
 */
export async function within<T>(
  timer: Timer,
  promise: Promise<T>,
  ms: number,
): Promise<T | undefined> {
  const over = new AbortController();
  // Whoever waits no more has been answered: a late failure is nobody's.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, timer.sleep(ms, over.signal).then(() => undefined)]);
  } finally {
    over.abort();
  }
}
