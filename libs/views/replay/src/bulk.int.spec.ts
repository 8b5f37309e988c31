import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Position, type Subscription, type SubscriptionItem } from '#domain/event-sourcing';
import { merchantStream } from '#domain/merchants';
import { Lease } from '#infra/postgres';
import { SystemTimer } from '#infra/runtime';
import {
  anyHistory,
  correct,
  happen,
  History,
  ReadOnlyLog,
  type ThrowAwayDatabase,
  throwAwayDatabase,
} from '#testing';
import { Filler, projectorLease, SqlFilling } from '#views/projection';
import { noteReceiptConflicts } from '#views/reviews';
import { completeViews, createViews, readCheckpoint } from '#views/view-set';
import { compareSets } from './compare.js';

let server: ThrowAwayDatabase;
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(() => server.drop());

/** The history's log, followed from a position. */
class FollowedLog extends ReadOnlyLog {
  override subscribe(after: Position | 'start'): Promise<Subscription> {
    const from = after === 'start' ? 0n : after;
    const { events } = this.log;
    async function* items(): AsyncGenerator<SubscriptionItem, void, void> {
      for (const event of events)
        if (event.position > from) yield await Promise.resolve({ kind: 'event', event } as const);
    }
    return Promise.resolve({ [Symbol.asyncIterator]: items, close: () => Promise.resolve() });
  }
}

interface Manner {
  readonly maxBatch: number;
  /** A statement with fewer rows is not copied. */
  readonly minRows?: number;
  /** After this many events, another process continues. */
  readonly cut?: number;
}

/** Builds a set from the history. @returns its schema */
async function filled(
  history: History,
  { maxBatch, minRows = 1, cut = 0 }: Manner,
): Promise<string> {
  const schema = `views_filled_${randomBytes(4).toString('hex')}`;
  await createViews(server.database, schema, true);
  const database = server.database.beside({ searchPath: [schema], poolSize: 3 });
  const { events } = history.log;
  const stops = [events[Math.min(cut, events.length - 1)], events.at(-1)];
  for (const last of stops) {
    const filler = new Filler({
      store: new FollowedLog(history.log),
      views: new SqlFilling(database, { schema, tells: true, minRows }),
      lease: new Lease(database, { name: projectorLease(schema), holder: 'spec' }),
      timer: new SystemTimer(),
      maxBatch,
    });
    expect(await filler.fill(last?.position ?? 0n, new AbortController().signal)).toBe('done');
    expect((await readCheckpoint(database)).position).toBe(last?.position);
  }
  await completeViews(server.database, schema);
  await noteReceiptConflicts(database);
  await database.close();
  return schema;
}

const schemaOf = async ({ database }: History): Promise<string> => {
  const [row] = await database.query<{ schema: string }>('select current_schema() as schema');
  return row?.schema ?? '';
};
const compared = (serving: string, other: string) =>
  compareSets(server.database, { serving, other }, { maxNamed: 5 });

describe('a view set filled by COPY', () => {
  it('equals the projector’s, for any history and batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        fc.nat(4),
        fc.record({
          maxBatch: fc.integer({ min: 1, max: 40 }),
          minRows: fc.constantFrom(1, 3, 50),
          cut: fc.nat(60),
        }),
        fc.integer({ min: 1, max: 9 }),
        async (drawn, corrections, manner, batch) => {
          const history = await History.begin(server);
          try {
            await happen(history, drawn);
            // The rail names one receipt for both; one of them is given to people.
            for (const reference of ['S1', 'S2'])
              history.suspend(await history.intend(reference), 'SAME');
            const reserved = { totalMinor: 0n };
            for (let left = corrections; left > 0; left -= 1) correct(history, reserved);
            await history.project(batch);
            const schema = await filled(history, manner);
            expect((await compared(await schemaOf(history), schema)).named).toEqual([]);
          } finally {
            await history.database.close();
          }
        },
      ),
      { numRuns: 15 },
    );
  }, 1_200_000);

  it('quarantines the same event for any batch size', async () => {
    const history = await History.begin(server);
    try {
      await history.intend('A');
      const named = await history.intend('B');
      history.pay(named);
      // Bytes that a text in Postgres cannot contain.
      history.append(named, { type: 'RailReceiptRecorded', data: { receipt: 'R\u0000' } } as never);
      history.pay(await history.intend('C', 'm-2'));
      history.pay(await history.intend('D'));
      const one = await filled(history, { maxBatch: 1 });
      const few = await filled(history, { maxBatch: 3 });
      const all = await filled(history, { maxBatch: 1000 });
      expect((await compared(one, all)).named).toEqual([]);
      expect((await compared(few, all)).named).toEqual([]);
      const held = `select merchant_id from ${all}.quarantines`;
      expect(await server.database.query(held)).toEqual([{ merchant_id: 'm-1' }]);
    } finally {
      await history.database.close();
    }
  });

  it('owes endpoints the same webhooks as the projector', async () => {
    const owed = () =>
      server.database.query(
        'select webhook_id, kind, merchant_id, sequence, type, owed_at from records.webhook_deliveries order by 1',
      );
    const history = await History.begin(server);
    const endpoint = { mode: 'demo', kind: 'v4', url: 'https://duka.example/hooks' } as const;
    history.pay(await history.intend('A'));
    history.append(merchantStream('m-1'), {
      type: 'WebhookEndpointSet',
      data: { ...endpoint, enabled: true },
    });
    for (const reference of ['B', 'C']) history.pay(await history.intend(reference));
    history.pay(await history.intend('D', 'm-2'));
    await server.database.query('truncate records.webhook_deliveries');
    await history.project();
    const before = await owed();
    expect(before).toHaveLength(2);
    for (const manner of [{ maxBatch: 2 }, { maxBatch: 100 }, { maxBatch: 100, cut: 8 }]) {
      await server.database.query('truncate records.webhook_deliveries');
      await filled(history, manner);
      expect(await owed()).toEqual(before);
    }
    await history.database.close();
  });

  it('stores a receipt once if it is reported, changed and reported again', async () => {
    const history = await History.begin(server);
    const stream = await history.intend('A');
    history.pay(stream);
    for (const receipt of ['X', 'Y', 'X'])
      history.append(stream, {
        type: 'RailReceiptRecorded',
        data: { receipt, amountMinor: 10_000n },
      });
    await history.project();
    for (const maxBatch of [1, 2, 100]) {
      const schema = await filled(history, { maxBatch });
      expect((await compared(await schemaOf(history), schema)).named).toEqual([]);
    }
    await history.database.close();
  });

  it('has the same keys and indexes as any other set at the end', async () => {
    const history = await History.begin(server);
    const indexes = (schema: string) =>
      server.database.query(
        `select replace(pg_get_indexdef(i.indexrelid), $1, '') as definition, k.conname
          from pg_index i join pg_class c on c.oid = i.indexrelid
          left join pg_constraint k on k.conindid = i.indexrelid
          where c.relnamespace = $1::regnamespace order by 1, 2`,
        [schema],
      );
    const schema = await filled(history, { maxBatch: 100 });
    expect(await indexes(schema)).toEqual(await indexes(await schemaOf(history)));
    await history.database.close();
  });
});
