/**
 * A process that appends until its standard input ends, `inFlight` at a time, each event to a stream of its own. It
 * prints a line for each acknowledged append, disposes of the adapter and then has nothing left to do. Any uncaught
 * error or unhandled rejection ends it with a code other than 0.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [url = '', prefix = '', inFlight = '1'] = process.argv.slice(2);
const adapter = pathToFileURL(join(process.cwd(), 'dist/libs/infra/eventstoredb/src/index.js'));
const { EventStoreDb } = (await import(adapter.href)) as typeof import('#infra/eventstoredb');

const store = new EventStoreDb({
  connectionString: url,
  eventTypes: { Noted: { version: 1 } },
  logger: { warn: () => undefined },
  onFatal: (error) => {
    throw error;
  },
});
const metadata = { v: 1, correlationId: 'c', actor: { kind: 'system', id: 'test' } } as const;

/** Large enough that the appends in flight exceed what the connection accepts at once, and wait to be written. */
const text = 'x'.repeat(30_000);

let ended = false;
process.stdin.on('end', () => (ended = true)).resume();

async function append(worker: number): Promise<void> {
  for (let n = 0; !ended; n += 1) {
    const stream = `${prefix}${worker}-${n}`;
    const event = { type: 'Noted', data: { n, text } };
    try {
      const events = [{ id: randomUUID(), event, metadata }];
      const { position } = await store.append(stream, 'no_stream', events);
      process.stdout.write(`${stream} ${position}\n`);
    } catch (error) {
      // No other process writes here, so a lost race would mean that an append was written twice.
      if ((error as Error).name !== 'EventStoreUnavailable') throw error;
    }
  }
}

await Promise.all(Array.from({ length: Number(inFlight) }, (_, worker) => append(worker)));
await store.dispose();
