import { type Database } from '#infra/postgres';
import { viewSchema } from '#views/view-set';
import { verifyViews } from '#views/verification';
import { type BenchCase, type Conditions, type Findings } from '../measurement.js';
import { duringHistory, type History, insertClaims, project } from '../servers/history.js';
import { beside } from '../servers/log-reading.js';

/** `npx pesapost verify` for its log. It takes turns with the same client that only reads the same log. */
export const verify: BenchCase = {
  name: 'verify',
  seconds: 20,
  about:
    'Events a second that `npx pesapost verify` compares, on a log of 120,000 events and their views, against the same log read by the same client and dropped, by turns.',
  run: ({ fixture, seconds }: Conditions): Promise<Findings> =>
    duringHistory(fixture, async (history) => {
      const database = history.open(viewSchema());
      try {
        await project(history.store, database, viewSchema());
        await database.query(insertClaims);
        await database.query('vacuum analyze');
        const turn = () => verifyOnce(history, database);
        return await beside({ name: 'verify', fixture, history, seconds, turn });
      } finally {
        await database.close();
      }
    }),
};

async function verifyOnce({ store }: History, database: Database): Promise<number> {
  const { events, differences, named } = await verifyViews({ store, database, maxNamed: 3 });
  if (differences > 0) throw new Error(`a clean log differed: ${JSON.stringify(named)}`);
  return events;
}
