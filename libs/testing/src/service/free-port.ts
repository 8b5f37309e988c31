import { freePort as freePortWithin } from '#infra/local-servers';

/** As many ports as the specs of one worker ever need at once, several times over. */
const width = 2_000;
const ranges = 8;
const first = 15_000;

/**
 * A free port for a server of a spec. Each worker of jest has a range of its own: two that look at the same moment, before
 * either server listens, would otherwise find the same port free.
 */
export function freePort(): Promise<number> {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? '1') - 1;
  const lowest = first + (worker % ranges) * width;
  return freePortWithin({ lowest, highest: lowest + width });
}
