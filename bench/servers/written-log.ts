import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEventStore } from './event-store.js';
import { type Fixture } from './fixture.js';
import { registerMerchant, writeCollections, writtenMerchant } from './history.js';
import { LogWriter } from './log-writer.js';
import { type WrittenLog } from './service.js';

/** The first build of the views from a log. */
export interface Build {
  readonly seconds: number;
  /** RssAnon of the projector in MiB, second by second. */
  readonly memory: readonly number[];
}

const readyDeadlineMs = 4 * 3_600_000;
const lookEveryMs = 1000;
/** The log's collections come over this many days, the last of them yesterday. */
const month = 30;
const dayMs = 86_400_000;

/**
 * Writes a log of paid collections over a month, and then builds the views from it when the service starts.
 * @returns the log for `startService`, and the build once the service has started
 */
export async function writtenLog(
  fixture: Fixture,
  collections: number,
): Promise<{ readonly log: WrittenLog; readonly build: () => Build }> {
  const directory = join(await fixture.folder('eventstore'), 'data');
  const days = fixture.scaled(month);
  await LogWriter.during(directory, async (log) => {
    log.agoMs = days * dayMs;
    await registerMerchant(log);
    for (let day = days; day > 0; day -= 1) {
      log.agoMs = day * dayMs;
      await writeCollections(log, Math.ceil(collections / days));
    }
  });
  const memory: number[] = [];
  let seconds = 0;
  const built: WrittenLog['built'] = async ({ usage, apiAdminPort }) => {
    const begunAt = performance.now();
    while (!(await isReady(apiAdminPort))) {
      seconds = (performance.now() - begunAt) / 1000;
      if (seconds * 1000 > readyDeadlineMs) throw new Error('the views were not built in time');
      memory.push((await usage()).get('projector')?.anonMb ?? Number.NaN);
      await sleep(lookEveryMs);
    }
  };
  const store = await startEventStore(fixture, { directory });
  return { log: { ...writtenMerchant, store, built }, build: () => ({ seconds, memory }) };
}

async function isReady(adminPort: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/health/ready`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}
