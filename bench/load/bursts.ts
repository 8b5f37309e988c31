import { sumOf } from '../statistics.js';
import { type Burst } from './protocol.js';

/** @throws if any request has another status, because then nothing was measured */
export function refuseOthersThan(
  expected: readonly (200 | 202 | 503)[],
  { statuses }: Burst,
): void {
  const others = Object.keys(statuses).filter(
    (status) => !expected.some((one) => status === String(one)),
  );
  if (others.length > 0)
    throw new Error(`requests were answered ${JSON.stringify(statuses)}: nothing was measured`);
}

export function secondsOf(bursts: readonly Burst[]): number {
  return sumOf(bursts, ({ seconds }) => seconds);
}

export function answeredOf(bursts: readonly Burst[]): number {
  return sumOf(bursts, ({ answered }) => answered);
}

/** Returns the answers per second. */
export function rateOf(bursts: readonly Burst[]): number {
  return answeredOf(bursts) / secondsOf(bursts);
}

/** Returns the load generator's share of a processor, in percent. */
export function cpuShare(bursts: readonly Burst[]): string {
  const share = sumOf(bursts, ({ cpuSeconds }) => cpuSeconds) / secondsOf(bursts);
  return `${Math.round(share * 100)} %`;
}
