import { setTimeout as sleep } from 'node:timers/promises';
import { ascending } from '../statistics.js';
import { Connection } from './connection.js';
import { type Burst, type Shot } from './protocol.js';

/** The shortest interval of a timer. The delay that it causes is part of a request's latency. */
const tickMs = 1;

/** A request, its place in the order of signing, and the time at which it was due. */
interface Due {
  readonly request: Buffer;
  readonly place: number;
  readonly dueAt: number;
}

/**
 * Sends the requests at a fixed rate, evenly spaced. If no connection is free, the request waits for one, and its
 * latency counts from the time at which it was due. So if a service stops for a while, the delay of every request in
 * that time counts.
 *
 * A connection is opened for its first request, because the service closes one that stays silent (ERR-13).
 */
export async function sendAtRate(
  requests: Buffer[],
  { port, connections, withinMs, perSecond }: Shot & { readonly perSecond: number },
): Promise<Burst> {
  const statuses: Record<string, number> = {};
  const latencies: number[] = [];
  const free: Connection[] = [];
  const due: number[] = [];
  const places: number[] = [];
  let [acceptedAt, longestGapMs] = [Number.NaN, 0];
  const cpu = process.cpuUsage();
  const begunAt = performance.now();
  let underWay = 0;
  const dispatch = (): void => {
    while (due.length > 0 && underWay < connections) {
      const request = requests.pop();
      if (!request) return;
      void answer({ request, place: requests.length, dueAt: due.shift() ?? 0 });
    }
  };
  const answer = async ({ request, place, dueAt }: Due): Promise<void> => {
    const kept = free.pop();
    const connection = kept?.usable ? kept : new Connection(port);
    underWay += 1;
    const status = await connection.send(request);
    underWay -= 1;
    const now = performance.now();
    latencies.push(now - dueAt);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 202) {
      if (now - acceptedAt > longestGapMs) longestGapMs = now - acceptedAt;
      acceptedAt = now;
      places.push(place);
    }
    free.push(connection);
    dispatch();
  };
  const count = Math.min(requests.length, Math.ceil((withinMs * perSecond) / 1000));
  for (let next = 0; next < count;) {
    const now = performance.now();
    for (; next < count && begunAt + (next * 1000) / perSecond <= now; next += 1)
      due.push(begunAt + (next * 1000) / perSecond);
    dispatch();
    await sleep(tickMs);
  }
  while (due.length > 0 || underWay > 0) await sleep(tickMs);
  const seconds = (performance.now() - begunAt) / 1000;
  for (const connection of free) connection.close();
  const { user, system } = process.cpuUsage(cpu);
  return {
    answered: latencies.length,
    statuses,
    seconds,
    latencies: latencies.sort(ascending),
    cpuSeconds: (user + system) / 1e6,
    accepted: { places, longestGapMs },
  };
}
