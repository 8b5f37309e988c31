import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { jsonEvent, START, streamNameFilter } from '@eventstore/db-client';
import { afterAll, expect, it } from '@jest/globals';
import { collect, newStream } from '../test/events.js';
import { cleanUp, startStore } from '../test/store-process.js';

afterAll(cleanUp);

/** MiB of memory that belongs to the process only, without the mapped file. Only Linux separates the two. */
function anonymousMb(pid: number | undefined): number {
  if (process.platform !== 'linux') return 0;
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? Infinity) / 1024;
}

it('memory does not grow with the log while it is written, read and followed', async () => {
  const store = await startStore();
  const { client } = store;
  const filter = streamNameFilter({ prefixes: ['grow'] });
  const followed = client.subscribeToAll({ fromPosition: START, filter });
  followed.on('error', () => undefined).resume();
  const text = 'x'.repeat(500);
  const event = () => jsonEvent({ id: randomUUID(), type: 'Grown', data: { text } });
  let highest = 0;
  for (let round = 0; round < 40; round++) {
    await Promise.all(
      Array.from({ length: 50 }, () =>
        client.appendToStream(newStream('grow'), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(event)),
      ),
    );
    if (round % 8 === 0) await collect(client.readAll({ maxCount: 20_000 }));
    highest = Math.max(highest, anonymousMb(store.child.pid));
  }
  await client.dispose();
  expect(highest).toBeLessThan(300);
});
