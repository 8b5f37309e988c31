/**
 * How long to wait before try number `attempt` (1 is the first retry): doubled each time from `firstMs` up
 * to `mostMs`, of which a random half is taken off so that processes do not knock in step.
 */
export function backoffMs(attempt: number, firstMs: number, mostMs: number): number {
  const full = Math.min(mostMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return full / 2 + (Math.random() * full) / 2;
}
