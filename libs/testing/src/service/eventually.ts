import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats the call until the answer is accepted. The error contains the last answer, so that a failure explains itself.
 * @throws Error after `withinMs`
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  accepted: (answer: T) => boolean,
  { withinMs = 120_000, everyMs = 50 } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (accepted(answer)) return answer;
    if (performance.now() > deadline)
      throw new Error(`not within ${withinMs} ms; last: ${shown(answer)}`);
    await sleep(everyMs);
  }
}

/** The beginning of an answer, enough to see its fault. */
function shown(answer: unknown): string {
  const text = JSON.stringify(answer, (_key, value: unknown) => {
    if (typeof value === 'bigint') return value.toString();
    return value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : value;
  });
  return text.slice(0, 4_000);
}
