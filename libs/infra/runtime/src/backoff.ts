/**
 * How long to wait before try number `attempt` (1 is the first retry): doubled each time from `firstMs` up
 * to `maxMs`, of which a random half is taken off so that processes do not knock in step.
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
