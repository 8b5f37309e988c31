import { openStore } from '../../apps/embedded-eventstore/src/index.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { startEventStore } from '../servers/event-store.js';
import { openStoreClient } from '../servers/store-client.js';
import { totalAnonMb, usageOf } from '../servers/usage.js';
import { sampleIntent } from '../servers/sample-events.js';

const seedEvents = 50_000;
const eventsPerAppend = 250;
const prefixes = ['collection-'];
const pageOfFloor = 500;

/** Reads the whole log through the adapter, decoded, again and again for `seconds`. */
export const read: BenchCase = {
  name: 'read',
  seconds: 10,
  about:
    'Events of `$all` a second through the service’s own client, decoded, against the same range straight from the store’s files in one process.',
  run: measure,
};

async function measure({ fixture, seconds }: Conditions): Promise<Findings> {
  const store = await startEventStore(fixture);
  let rate: number;
  let cpuShare: number;
  let mb: number | null;
  try {
    const client = openStoreClient(store.url);
    await seed(client, fixture.scaled(seedEvents));
    const cpu = process.cpuUsage();
    const begunAt = performance.now();
    let count = 0;
    const endAt = begunAt + seconds * 1000;
    while (performance.now() < endAt)
      for await (const event of client.readAll('start', prefixes)) {
        if (event.position > 0n) count += 1;
        if (count % 1000 === 0 && performance.now() > endAt) break;
      }
    const elapsed = (performance.now() - begunAt) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    rate = count / elapsed;
    cpuShare = (user + system) / 1e6 / elapsed;
    mb = totalAnonMb(await usageOf({ eventstore: store.process.pid }));
    await client.dispose();
  } finally {
    await store.process.stop();
  }
  const floor = await readInProcess(store.directory, seconds / 2);
  return {
    measurements: [
      measurement({ name: 'read', value: rate, unit: 'events/s', floor, anon_mb: mb }),
    ],
    notes: [`read: the client took ${Math.round(cpuShare * 100)} % of a processor`],
  };
}

async function seed(client: ReturnType<typeof openStoreClient>, events: number): Promise<void> {
  for (let count = 0; count < events; count += eventsPerAppend) {
    const intents = Array.from({ length: eventsPerAppend }, sampleIntent);
    await client.append(`collection-demo:bench:${count}`, 'no_stream', intents);
  }
}

/** Reads directly from the store's files, without a process in between. @returns events per second */
async function readInProcess(directory: string, seconds: number): Promise<number> {
  const store = await openStore(directory);
  try {
    const begunAt = performance.now();
    let count = 0;
    while (performance.now() - begunAt < seconds * 1000) {
      for (let from = 0; ;) {
        const page = store.log.forwards(from, pageOfFloor);
        const last = page.at(-1);
        if (!last) break;
        count += page.length;
        from = last.position + 1;
      }
    }
    return (count * 1000) / (performance.now() - begunAt);
  } finally {
    await store.close();
  }
}
