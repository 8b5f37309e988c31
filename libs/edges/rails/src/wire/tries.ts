import { type Clock, type Timer } from '#domain/kernel';
import { backoffMs } from '#infra/runtime';

/** The result of one try. `again_*` is certain: the rail did not take the request, so it may be sent again. */
export type Attempt<Outcome> =
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | {
      readonly kind: 'again_at_once' | 'again_later';
      readonly failureCode: string;
      /** The outcome if no later try is done. If omitted, the outcome is `refused` with the failure code. */
      readonly orElse?: Outcome;
    };

const maxAttempts = 6;
const firstPauseMs = 200;
const maxPauseMs = 2000;

/** There was no token or no connection. */
export const unavailable = { kind: 'again_later', failureCode: 'rail_unavailable' } as const;

export interface Tries {
  readonly clock: Clock;
  readonly timer: Timer;
  /** The limit for the whole, pauses and a new token included. */
  readonly timeoutMs: number;
}

/** Returns the time that is left for the tries; 0 or less if they are over. */
export type TimeLeft = () => number;

/** More than a clock is ever set forward by. */
const suspendedMs = 30_000;

/**
 * Counts the time left by the timer and by the clock. While a machine is suspended its timers stop, but its clock goes
 * on. A request for which no caller waits any more is not sent after the machine resumes (PAY-41).
 */
function timeLeft({ clock, timeoutMs }: Tries): TimeLeft {
  const endAt = performance.now() + timeoutMs;
  const endAtMs = clock.nowMs() + timeoutMs + suspendedMs;
  return () => (clock.nowMs() > endAtMs ? 0 : endAt - performance.now());
}

/**
 * Tries until one attempt is done, within the time. It repeats at once only the first time (with a new token or key),
 * and later after growing pauses. If the tries or the time are used up, nothing was taken, so the result is a refusal.
 */
export async function tryUntilDone<Outcome>(
  tries: Tries,
  tryOnce: (leftMs: TimeLeft) => Promise<Attempt<Outcome>>,
): Promise<Outcome | { readonly kind: 'refused'; readonly failureCode: string }> {
  const leftMs = timeLeft(tries);
  let failureCode: string = unavailable.failureCode;
  let orElse: Outcome | undefined;
  let hasRepeatedAtOnce = false;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const result = await tryOnce(leftMs);
    if (result.kind === 'done') return result.outcome;
    ({ failureCode, orElse = orElse } = result);
    if (result.kind === 'again_at_once') {
      if (hasRepeatedAtOnce) break;
      hasRepeatedAtOnce = true;
      continue;
    }
    const pauseMs = backoffMs(attempt, firstPauseMs, maxPauseMs);
    if (attempt === maxAttempts || leftMs() <= pauseMs) break;
    await tries.timer.sleep(pauseMs);
  }
  return orElse ?? { kind: 'refused', failureCode };
}
