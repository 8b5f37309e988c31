import { type Timer } from '#domain/kernel';
import { backoffMs } from '#infra/runtime';

/** `again_*` is certain: the rail did not take what was sent, so it may be sent again. */
export type Attempt<Outcome> =
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'again_at_once' | 'again_later'; readonly failureCode: string };

const maxAttempts = 6;
const firstPauseMs = 200;
const maxPauseMs = 2000;

/** No token or no connection was to be had. */
export const unavailable = { kind: 'again_later', failureCode: 'rail_unavailable' } as const;

/**
 * Tries until one attempt is done, within the time: again at once only the first time (a new token), else after growing
 * pauses. Where tries or time are used up, nothing was taken: that is a refusal.
 */
export async function tryUntilDone<Outcome>(
  { timer, timeoutMs }: { readonly timer: Timer; readonly timeoutMs: number },
  tryOnce: (endAt: number) => Promise<Attempt<Outcome>>,
): Promise<Outcome | { readonly kind: 'refused'; readonly failureCode: string }> {
  const endAt = performance.now() + timeoutMs;
  let failureCode: string = unavailable.failureCode;
  let hasNewToken = false;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const result = await tryOnce(endAt);
    if (result.kind === 'done') return result.outcome;
    ({ failureCode } = result);
    if (result.kind === 'again_at_once') {
      if (hasNewToken) break;
      hasNewToken = true;
      continue;
    }
    const pauseMs = backoffMs(attempt, firstPauseMs, maxPauseMs);
    if (attempt === maxAttempts || performance.now() + pauseMs >= endAt) break;
    await timer.sleep(pauseMs);
  }
  return { kind: 'refused', failureCode };
}
