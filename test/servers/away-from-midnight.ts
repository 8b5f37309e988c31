import { setTimeout as sleep } from 'node:timers/promises';

const nairobiOffsetMs = 3 * 3_600_000;
const dayMs = 86_400_000;
const neededMs = 5 * 60_000;

/** Waits for midnight in Nairobi if it is near, so that everything that a spec does happens on one day. */
export async function awayFromMidnight(): Promise<void> {
  const leftMs = dayMs - ((Date.now() + nairobiOffsetMs) % dayMs);
  if (leftMs < neededMs) await sleep(leftMs + 1000);
}
