import { type BenchCase, type Conditions, type Findings } from '../measurement.js';
import { duringHistory, type History, project, readAndDrop } from '../servers/history.js';
import { beside } from '../servers/log-reading.js';

const schema = 'views_rebuilt';

/** The projector building all views from the log, by turns with the same log read by the same client and dropped. */
export const rebuild: BenchCase = {
  name: 'rebuild',
  seconds: 20,
  about:
    'Events a second that a projector with empty views applies, on a log of 120,000 events, against the same log read by the same client and dropped, by turns.',
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
    await project(store, database, schema);
    await database.query(`drop schema ${schema} cascade`);
  } finally {
    await database.close();
  }
}
