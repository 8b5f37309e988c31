import { randomUUID } from 'node:crypto';
import { migrateRecords } from '#infra/postgres';
import { SystemTimer } from '#infra/runtime';
import { fillViews } from '#views/replay';
import { createViews, projectedPrefixes } from '#views/view-set';
import { type BenchCase, type Conditions, type Findings } from '../measurement.js';
import { duringHistory, type History, readAndDrop } from '../servers/history.js';
import { beside } from '../servers/log-reading.js';

const schema = 'views_rebuilt';

/** Fills all views from the log, indexes included. It takes turns with the same client that only reads the same log. */
export const rebuild: BenchCase = {
  name: 'rebuild',
  seconds: 20,
  about:
    'Events a second with which `npx pesapost replay` fills a set of views, its indexes included, on a log of 120,000 events, against the same log read by the same client and dropped, by turns.',
  run: ({ fixture, seconds }: Conditions): Promise<Findings> =>
    duringHistory(fixture, async (history) => {
      const events = await readAndDrop(history.store);
      const turn = async (): Promise<number> => {
        await rebuildOnce(history);
        return events;
      };
      return beside({ name: 'rebuild', fixture, history, seconds, turn });
    }),
};

async function rebuildOnce({ store, open }: History): Promise<void> {
  const database = open(schema);
  try {
    await migrateRecords(database);
    await createViews(database, schema, true);
    await fillViews({
      database,
      store,
      schema,
      tells: true,
      holder: randomUUID(),
      timer: new SystemTimer(),
      upTo: await store.head(projectedPrefixes),
    });
    await database.query(`drop schema ${schema} cascade`);
  } finally {
    await database.close();
  }
}
