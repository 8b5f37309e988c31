import { fdatasyncSync, openSync, closeSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../apps/embedded-eventstore/src/index.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { startEventStore, type StoreServer } from '../servers/event-store.js';
import { openStoreClient } from '../servers/store-client.js';
import { totalAnonMb, usageOf } from '../servers/usage.js';
import { ascending, quantile } from '../statistics.js';
import { sampleIntent } from '../servers/sample-events.js';

const inFlight = 64;
const warmUpSeconds = 2;

/** Durable single appends, each to a new stream, through the adapter that the apps use. */
export const append: BenchCase = {
  name: 'append',
  seconds: 10,
  about:
    'Durable single appends a second, 64 in flight, each to a new stream, through the service’s own client, against the same bytes in the same groups, written to one file with fdatasync.',
  run: measure,
};

async function measure({ fixture, seconds }: Conditions): Promise<Findings> {
  const store = await startEventStore(fixture);
  let appended: Appends;
  let mb: number | null;
  try {
    const client = openStoreClient(store.url);
    await appendFor(client, warmUpSeconds);
    appended = await appendFor(client, seconds);
    mb = totalAnonMb(await usageOf({ eventstore: store.process.pid }));
    await client.dispose();
  } finally {
    await store.process.stop();
  }
  const file = join(await fixture.folder('append-floor'), 'log');
  const groups = await groupsOf(store, appended.count);
  const floor = writeGroups(file, groups);
  const bytes = groups.flat().reduce((sum, { length }) => sum + length, 0);
  return {
    measurements: [
      measurement({
        name: 'append',
        value: appended.count / appended.seconds,
        unit: 'events/s',
        floor: appended.count / floor,
        anon_mb: mb,
      }),
    ],
    notes: [
      `append: ${inFlight} in flight, p50 ${quantile(appended.latencies, 0.5).toFixed(1)} ms, p99 ${quantile(appended.latencies, 0.99).toFixed(1)} ms; ` +
        `${Math.round(bytes / appended.count)} bytes an event, ${(appended.count / groups.length).toFixed(0)} events a flush; ` +
        `the client took ${Math.round((appended.cpuSeconds / appended.seconds) * 100)} % of a processor`,
    ],
  };
}

interface Appends {
  readonly count: number;
  readonly seconds: number;
  /** In milliseconds, ascending. */
  readonly latencies: readonly number[];
  readonly cpuSeconds: number;
}

async function appendFor(
  client: ReturnType<typeof openStoreClient>,
  seconds: number,
): Promise<Appends> {
  const latencies: number[] = [];
  const cpu = process.cpuUsage();
  const begunAt = performance.now();
  const endAt = begunAt + seconds * 1000;
  const lane = async (): Promise<void> => {
    while (performance.now() < endAt) {
      const event = sampleIntent();
      const sentAt = performance.now();
      await client.append(`collection-demo:bench:${event.id}`, 'no_stream', [event]);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const elapsed = (performance.now() - begunAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    count: latencies.length,
    seconds: elapsed,
    latencies: latencies.sort(ascending),
    cpuSeconds: (user + system) / 1e6,
  };
}

const createdTicks = /created\x12.(\d{10,})/s;

/**
 * Returns the last `count` events as the store keeps them, grouped by the commit that wrote them: a commit has one
 * time.
 */
async function groupsOf({ directory }: StoreServer, count: number): Promise<Buffer[][]> {
  const store = await openStore(directory);
  try {
    const groups: Buffer[][] = [];
    let created: string | undefined;
    // A page is copied, because the memory that LMDB returns is valid only as long as its map.
    for (const { frame } of store.log.backwards(Number.MAX_SAFE_INTEGER, count)) {
      const [, ticks] = createdTicks.exec(frame.toString('latin1')) ?? [];
      if (ticks !== created || groups.length === 0) groups.push([]);
      created = ticks;
      groups.at(-1)?.push(Buffer.from(frame));
    }
    return groups.reverse();
  } finally {
    await store.close();
  }
}

/** Writes the same bytes in the same groups, each group flushed before the next. @returns seconds */
function writeGroups(file: string, groups: readonly Buffer[][]): number {
  const descriptor = openSync(file, 'w');
  try {
    const begunAt = performance.now();
    for (const group of groups) {
      writevSync(descriptor, group);
      fdatasyncSync(descriptor);
    }
    return (performance.now() - begunAt) / 1000;
  } finally {
    closeSync(descriptor);
  }
}
