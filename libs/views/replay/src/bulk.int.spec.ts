import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Lease } from '#infra/postgres';
import {
  anyHistory,
  correct,
  happen,
  History,
  type ThrowAwayDatabase,
  throwAwayDatabase,
} from '#testing';
import { BulkPlans, projectorLease, SqlViews } from '#views/projection';
import { noteReceiptConflicts } from '#views/reviews';
import { completeViews, createViews, readCheckpoint } from '#views/view-set';
import { compareSets } from './compare.js';

let server: ThrowAwayDatabase;
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(() => server.drop());

/** Builds a set from the history in batches of these sizes, one after the other. @returns its schema */
async function filled(history: History, sizes: readonly number[]): Promise<string> {
  const schema = `views_filled_${randomBytes(4).toString('hex')}`;
  await createViews(server.database, schema, true);
  const database = server.database.beside({ searchPath: [schema], poolSize: 2 });
  const fence = await new Lease(database, {
    name: projectorLease(schema),
    holder: 'spec',
  }).tryAcquire();
  // Any number of rows is copied.
  const views = new SqlViews(database, { schema, tells: true, bulk: new BulkPlans(1) });
  const { events } = history.log;
  for (let [at, turn] = [0, 0]; at < events.length; turn += 1) {
    const batch = events.slice(at, at + (sizes[turn % sizes.length] ?? 1));
    const last = batch.at(-1);
    if (!last) break;
    const { position, stream, revision, id } = last;
    const to = { position, lastEvent: { stream, revision, id } };
    const from = await readCheckpoint(database);
    await views.commit({ events: batch, from, to, fence: fence ?? 0n });
    at += batch.length;
  }
  await noteReceiptConflicts(database);
  await completeViews(server.database, schema);
  await database.close();
  return schema;
}

const schemaOf = async ({ database }: History): Promise<string> => {
  const [row] = await database.query<{ schema: string }>('select current_schema() as schema');
  return row?.schema ?? '';
};
const compared = (serving: string, other: string) =>
  compareSets(server.database, { serving, other }, { maxNamed: 5 });

describe('a set that is filled by COPY', () => {
  it('is the projector’s, whatever the history and the batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        fc.nat(4),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        async (drawn, corrections, sizes, batch) => {
          const history = await History.begin(server);
          try {
            await happen(history, drawn);
            // Two that the rail tells of under one receipt; one of them is given to people.
            for (const reference of ['S1', 'S2'])
              history.suspend(await history.intend(reference), 'SAME');
            const reserved = { totalMinor: 0n };
            for (let left = corrections; left > 0; left -= 1) correct(history, reserved);
            await history.project(batch);
            const schema = await filled(history, sizes);
            expect((await compared(await schemaOf(history), schema)).named).toEqual([]);
          } finally {
            await history.database.close();
          }
        },
      ),
      { numRuns: 15 },
    );
  }, 240_000);

  it('isolates what cannot be applied at the same event', async () => {
    const history = await History.begin(server);
    try {
      await history.intend('A');
      const named = await history.intend('B');
      history.pay(named);
      // Bytes that no text of Postgres holds.
      history.append(named, { type: 'RailReceiptRecorded', data: { receipt: 'R\u0000' } } as never);
      history.pay(await history.intend('C', 'm-2'));
      history.pay(await history.intend('D'));
      const one = await filled(history, [1]);
      const all = await filled(history, [1000]);
      expect((await compared(one, all)).named).toEqual([]);
      const held = `select merchant_id from ${all}.quarantines`;
      expect(await server.database.query(held)).toEqual([{ merchant_id: 'm-1' }]);
    } finally {
      await history.database.close();
    }
  });

  it('has the indexes of any other set in the end', async () => {
    const history = await History.begin(server);
    const indexes = (schema: string) =>
      server.database.query(
        `select replace(indexdef, $1, '') as definition from pg_indexes where schemaname = $1 order by indexname`,
        [schema],
      );
    const schema = await filled(history, [100]);
    expect(await indexes(schema)).toEqual(await indexes(await schemaOf(history)));
    await history.database.close();
  });
});
