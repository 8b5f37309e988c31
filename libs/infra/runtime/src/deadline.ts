/** A call did not answer within its deadline; its effect may still happen. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Returns the promise's outcome, or throws DeadlineExceeded after `deadlineMs`. The work itself continues: a late
 * failure is swallowed, since the caller already has an answer. p-timeout throws a TypeError if 0 ms are left, and
 * makes an error with its stack for every call. After a pause, this process reads what has arrived meanwhile before it
 * reports a missed deadline.
 */
export async function withDeadline<T>(
  promise: Promise<T>,
  deadlineMs: number,
  message: string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      setImmediate(() => {
        reject(new DeadlineExceeded(`${message} (${deadlineMs} ms)`));
      });
    }, deadlineMs);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => undefined);
  }
}

/**
 * The time before try number `attempt` (1 is the first retry): doubled each time from `firstMs` up to `maxMs`, less up
 * to half at random so that processes do not retry in step.
 * @param random from 0 inclusive to 1 exclusive
 */
export function backoffMs(
  attempt: number,
  firstMs: number,
  maxMs: number,
  random: () => number = Math.random,
): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return full / 2 + (random() * full) / 2;
}
