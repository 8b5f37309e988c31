import { createHash } from 'node:crypto';

const bytes = Buffer.alloc(1024 * 1024);
/** Some 100 ms of one processor. */
const times = 100;

/**
 * Hashes the same bytes on one processor and returns the milliseconds of it. Call it while the service has nothing to
 * do: it shows how fast the machine itself is at that time.
 */
export function fixedWorkMs(): number {
  const before = process.cpuUsage();
  for (let left = times; left > 0; left -= 1) createHash('sha256').update(bytes).digest();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
