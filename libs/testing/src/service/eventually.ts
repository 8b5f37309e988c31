import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks until the answer is accepted. The last answer stands in the error, so that a failure explains itself.
 * @throws Error after `withinMs`
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  accepted: (answer: T) => boolean,
  { withinMs = 10_000, everyMs = 50 } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (accepted(answer)) return answer;
    if (performance.now() > deadline)
      throw new Error(
        `not within ${withinMs} ms; last: ${JSON.stringify(answer, (_key, value: unknown) =>
          typeof value === 'bigint' ? value.toString() : value,
        )}`,
      );
    await sleep(everyMs);
  }
}
