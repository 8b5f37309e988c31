import { DependencyUnavailable } from '#domain/kernel';
import { createLogger } from '#infra/runtime';
import { eventually, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:net';
import { Database, isUniqueViolation } from './index.js';

const logger = createLogger({ app: 'spec', level: 'silent' });
/** Long enough for any statement of a session's own, on a busy machine as well. */
const shortMs = 2000;
let own: ThrowAwayDatabase;
/** The same database, with a limit for statements that a test can wait for. */
let hasty: Database;

beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: ['views_9', 'public'] });
  hasty = own.database.beside({ statementTimeoutMs: shortMs });
});
afterAll(async () => {
  await hasty.close();
  await own.drop();
});

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a query', () => {
  it('gives int8 as bigint, numeric and date as text, bytea as bytes, timestamptz as a Date', async () => {
    const [row] = await own.database.query(
      `select 9007199254740993::int8 as big, array[1, null, 3]::int8[] as bigs, 1.50::numeric as exact,
         date '2026-03-01' as day, '\\x0102'::bytea as bytes, timestamptz '2026-03-01T00:00:00.123Z' as at,
         '{"a":1}'::jsonb as json`,
    );
    expect(row).toEqual({
      big: 9007199254740993n,
      bigs: [1n, null, 3n],
      exact: '1.50',
      day: '2026-03-01',
      bytes: Buffer.from([1, 2]),
      at: new Date('2026-03-01T00:00:00.123Z'),
      json: { a: 1 },
    });
  });

  it('takes bigint, alone and in arrays, and bytes in arrays', async () => {
    const rows = await own.database.query<{ id: bigint; bytes: Buffer }>(
      'select * from unnest($1::int8[], $2::bytea[]) as t (id, bytes) where id > $3',
      [[1n, 9007199254740993n], [Buffer.from('a'), Buffer.from('b')], 1n],
    );
    expect(rows).toEqual([{ id: 9007199254740993n, bytes: Buffer.from('b') }]);
  });

  it('runs a named statement again on the same connection', async () => {
    const statement = { name: 'spec-double', text: 'select $1::int4 * 2 as twice' };
    for (const value of [1, 2, 3])
      expect(await own.database.query(statement, [value])).toEqual([{ twice: value * 2 }]);
  });

  it('sees the search path and the clock offset that the connection carries', async () => {
    const shifted = new Database({
      url: own.url,
      app: 'spec',
      logger,
      clockOffsetMs: 86_400_000,
      connectTimeoutMs: 60_000,
    });
    const [path] = await own.database.query('show search_path');
    expect(path).toEqual({ search_path: 'views_9,public' });
    const [row] = await shifted.query<{ days: number }>(
      'select round(extract(epoch from records.now_() - clock_timestamp()) / 86400, 3)::float8 as days',
    );
    expect(row?.days).toBeCloseTo(1, 2);
    await shifted.close();
  });

  it('reports a broken constraint as its own failure, and its connection is used again', async () => {
    const [before] = await own.database.query<{ pid: number }>('select pg_backend_pid() as pid');
    await own.database.query('create table twice (id int primary key)');
    await own.database.query('insert into twice values (1)');
    const error = await caught(own.database.query('insert into twice values (1)'));
    expect(error).not.toBeInstanceOf(DependencyUnavailable);
    expect(isUniqueViolation(error)).toBe(true);
    const [after] = await own.database.query<{ pid: number }>('select pg_backend_pid() as pid');
    expect(after).toEqual(before);
  });

  it('fails as unavailable if it takes too long, and the next one runs', async () => {
    const started = performance.now();
    const error = await caught(hasty.query('select pg_sleep(120)'));
    expect(error).toBeInstanceOf(DependencyUnavailable);
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(await hasty.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('fails as unavailable if its connection is killed, and the next one runs', async () => {
    const sleeping = caught(own.database.query('select pg_sleep(50)'));
    await eventually(
      () =>
        own.database.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
             where query like 'select pg_sleep(50)%' and datname = current_database()`,
        ),
      (killed) => killed.length === 1,
    );
    expect(await sleeping).toBeInstanceOf(DependencyUnavailable);
    expect(await own.database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('a server that is not there', () => {
  let frozen: Server;
  let frozenUrl: string;
  beforeAll(async () => {
    frozen = createServer(() => undefined);
    await new Promise<void>((resolve) => frozen.listen(0, '127.0.0.1', resolve));
    const address = frozen.address();
    frozenUrl = `postgres://u:secretpassword@127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/d`;
  });
  afterAll(() => {
    frozen.close();
  });

  it('is unavailable if it refuses connections, and the error names no address or secret', async () => {
    const database = new Database({
      url: 'postgres://u:secretpassword@127.0.0.1:1/d',
      app: 'spec',
      logger,
    });
    const error = await caught(database.query('select 1'));
    expect(error).toBeInstanceOf(DependencyUnavailable);
    expect((error as Error).message).not.toMatch(/127\.0\.0\.1|secretpassword/);
    await database.close();
  });

  it('is unavailable within the deadline if it accepts connections and never answers', async () => {
    const database = new Database({ url: frozenUrl, app: 'spec', logger, connectTimeoutMs: 300 });
    const started = performance.now();
    expect(await caught(database.query('select 1'))).toBeInstanceOf(DependencyUnavailable);
    expect(performance.now() - started).toBeLessThan(60_000);
    await database.close();
  });

  it('refuses callers at once when too many wait already', async () => {
    const database = new Database({
      url: own.url,
      app: 'spec',
      logger,
      poolSize: 1,
      maxWaiting: 1,
      connectTimeoutMs: 60_000,
    });
    // All three in one turn: the first takes the connection, and the second waits for it.
    const first = database.query('select pg_sleep(0.2)');
    const second = database.query('select 1 as one');
    expect(await caught(database.query('select 1'))).toBeInstanceOf(DependencyUnavailable);
    await first;
    expect(await second).toEqual([{ one: 1 }]);
    await database.close();
  });
});

describe('a transaction', () => {
  it('may run for longer than the connection allows if it asks for that', async () => {
    const options = { statementTimeoutMs: 60_000, readOnly: true };
    await hasty.transaction(async (transaction) => {
      // The connection's own limit is two seconds, and the client's two seconds more.
      await transaction.query('select pg_sleep(4.2)');
    }, options);
    const after = await hasty.query('show statement_timeout');
    expect(after).toEqual([{ statement_timeout: `${shortMs / 1000}s` }]);
  });

  it('is cut off after five seconds without a statement, unless its pool says otherwise', async () => {
    const { url } = own;
    const database = new Database({ url, app: 'spec', logger, poolSize: 1 });
    const idle = 'show idle_in_transaction_session_timeout';
    expect(await database.query(idle)).toEqual([{ idle_in_transaction_session_timeout: '5s' }]);
    expect(await hasty.query(idle)).toEqual([{ idle_in_transaction_session_timeout: '1min' }]);
    await database.close();
  });

  beforeAll(async () => {
    await own.database.query('create table notes (text text primary key)');
  });

  it('writes all, or nothing if the work throws', async () => {
    await own.database.transaction(async (transaction) => {
      await transaction.query(`insert into notes values ('kept')`);
    });
    await expect(
      own.database.transaction(async (transaction) => {
        await transaction.query(`insert into notes values ('dropped')`);
        throw new RangeError('no');
      }),
    ).rejects.toThrow(RangeError);
    expect(await own.database.query('select text from notes')).toEqual([{ text: 'kept' }]);
  });

  it('writes nothing if the work swallows a statement’s failure and continues to commit', async () => {
    const work = own.database.transaction(async (transaction) => {
      await transaction.query(`insert into notes values ('lost')`);
      await transaction.query(`insert into notes values ('kept')`).catch(() => undefined);
    });
    await expect(work).rejects.toThrow(/rolled back/);
    expect(await own.database.query('select text from notes')).toEqual([{ text: 'kept' }]);
  });

  it.each([false, true])(
    'copies all rows, or none if one is refused; pipelined: %s',
    async (isPipelined) => {
      const database = own.database.beside({
        isPipelined,
        poolSize: 1,
        statementTimeoutMs: 120_000,
      });
      const copied = (rows: string) =>
        database.transaction((transaction) =>
          Promise.all([
            transaction.query('truncate copies'),
            transaction.copyIn('copy copies (number, text) from stdin', Buffer.from(rows)),
            transaction.query(`insert into copies values (0, 'behind')`),
          ]),
        );
      try {
        await database.query('create table if not exists copies (number integer, text text)');
        const many = Array.from({ length: 50_000 }, (_, n) => `${n + 1}\tä${n}\n`).join('');
        await copied(many);
        expect(await database.query('select count(*), max(text) from copies')).toEqual([
          { count: 50_001n, max: 'ä9999' },
        ]);
        await expect(copied(`1\tone\nno number\ttwo\n${many}`)).rejects.toThrow(/integer/);
        await expect(copied('1\tone\ttoo many\n')).rejects.toThrow(/extra data/);
        expect(await database.query('select count(*) from copies')).toEqual([{ count: 50_001n }]);
      } finally {
        await database.close();
      }
    },
  );

  it('may have a longer statement time-out of its own', async () => {
    await hasty.transaction((transaction) => transaction.query('select pg_sleep(2.2)'), {
      statementTimeoutMs: 60_000,
    });
    await hasty.transaction(async (transaction) => {
      expect(await transaction.query('show statement_timeout')).toEqual([
        { statement_timeout: '2s' },
      ]);
    });
  });

  it('is cut off after five seconds if its process is frozen, and its locks are released', async () => {
    // The throw-away database's own pool waits for a minute.
    const database = own.database.beside({ poolSize: 1, idleInTransactionMs: 5_000 });
    const error = await caught(
      database.transaction(async (transaction) => {
        await transaction.query(`update notes set text = text where text = 'kept'`);
        const [session] = await transaction.query('select pg_backend_pid() as pid');
        await eventually(
          () =>
            own.database.query('select from pg_stat_activity where pid = $1', [session?.['pid']]),
          (sessions) => sessions.length === 0,
        );
        await transaction.query('select 1');
      }),
    );
    expect(error).toBeInstanceOf(DependencyUnavailable);
    await own.database.query(`update notes set text = text where text = 'kept'`);
    await database.close();
  });
});
