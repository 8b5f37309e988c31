import { Database, Lease, plainIdentifier } from '#infra/postgres';
import { createViews, viewSchema } from '#views/view-set';
import { Projector, projectorLease, SqlViews } from '#views/projection';
import { createLogger, Metrics, SystemClock, SystemTimer } from '#infra/runtime';
import { openStore } from '../open-store.js';
import { patientPool } from '../database.js';
import { eventually } from './eventually.js';
import { type Service } from './service.js';

/** Every view except the checkpoint, which contains the time of writing. */
const tables = `
  select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_name <> 'checkpoint' order by 1`;

/** A table's rows as sorted text, from the live projector and from a rebuild. */
export interface RebuiltTable {
  readonly table: string;
  readonly live: readonly object[];
  readonly rebuilt: readonly object[];
}

/**
 * Rebuilds the views from the log into a schema of their own, up to the position of the serving ones. It kills the
 * service's projector for that and starts it again.
 */
export async function liveAndRebuilt(service: Service): Promise<RebuiltTable[]> {
  const schema = 'views_rebuilt';
  const [live, rebuilt] = [viewsOf(service, viewSchema()), viewsOf(service, schema)];
  const store = openStore(service.env['EVENTSTORE_URL']);
  const stop = new AbortController();
  try {
    await createViews(live, schema);
    // The live views must not change during the comparison.
    await service.kill('projector');
    const projector = new Projector({
      store,
      views: new SqlViews(rebuilt, { schema }),
      lease: new Lease(rebuilt, { name: projectorLease(schema), holder: 'rebuild' }),
      clock: new SystemClock(),
      timer: new SystemTimer(),
      metrics: new Metrics(),
    });
    const target = await positionOf(live);
    const term = eventually(
      () => projector.lead(stop.signal).then(() => stop.signal.aborted),
      Boolean,
      { withinMs: 60_000, everyMs: 200 },
    );
    await eventually(
      () => positionOf(rebuilt),
      (at) => at === target,
      { withinMs: 60_000 },
    );
    stop.abort();
    await term;
    const names = await live.query<{ name: string }>(tables);
    return await Promise.all(
      names.map(async ({ name: table }) => ({
        table,
        live: await rowsOf(live, table),
        rebuilt: await rowsOf(rebuilt, table),
      })),
    );
  } finally {
    await store.dispose();
    await Promise.all([live.close(), rebuilt.close()]);
    await service.start('projector');
  }
}

function viewsOf(service: Service, schema: string): Database {
  const logger = createLogger({ app: 'tests', level: 'fatal' });
  const url = service.env['DATABASE_URL'] ?? '';
  return new Database({
    ...patientPool,
    url,
    app: 'tests',
    logger,
    searchPath: [schema],
    poolSize: 2,
  });
}

async function positionOf(database: Database): Promise<bigint | undefined> {
  const [row] = await database.query<{ position: bigint }>('select position from checkpoint');
  return row?.position;
}

const rowsOf = (database: Database, table: string): Promise<object[]> =>
  database.query(`select t::text as row from ${plainIdentifier(table)} t order by 1`);
