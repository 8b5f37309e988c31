import { randomBytes } from 'node:crypto';
import pg from 'pg';
import {
  emptyDatabase,
  type OwnServers,
  spawnChild,
  startChild,
  startCommandLine,
  startOwnServers,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** A release whose migrations are a step of their own: a database with nothing in it, and the real processes. */
let servers: OwnServers;
let env: Readonly<Record<string, string>>;
let database: pg.Client;

beforeAll(async () => {
  servers = await startOwnServers();
  const url = await emptyDatabase(servers.env.DATABASE_URL);
  env = {
    ...servers.env,
    DATABASE_URL: url,
    MASTER_KEY: `test:${randomBytes(32).toString('base64')}`,
    MIGRATIONS: 'apart',
    ADMIN_PORT: '0',
    PORT: '0',
  };
  database = new pg.Client({ connectionString: url });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await servers.stop();
});

/** @returns the last line of a process that does not start */
async function refusalOf(app: string): Promise<string> {
  const process = spawnChild(app, env);
  expect(await process.ended).toBe(1);
  const last = process.lines.at(-1) ?? '';
  return (JSON.parse(last) as { readonly msg: string }).msg;
}

const postgresAlone = () => ({
  DATABASE_URL: env['DATABASE_URL'] ?? '',
  EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false',
  REDIS_URL: 'redis://127.0.0.1:9',
  MASTER_KEY: env['MASTER_KEY'] ?? '',
});

describe('migrations apart', () => {
  it.each(['api', 'projector', 'worker'])(
    'the %s waits for them, and changes nothing',
    async (app) => {
      expect(await refusalOf(app)).toBe(
        'migration 0001_records.sql has not run: run pesapost migrate first',
      );
      const { rows } = await database.query(
        `select nspname from pg_namespace where nspname = 'records' or nspname like 'views%'`,
      );
      expect(rows).toEqual([]);
    },
  );

  it('the command runs them with Postgres alone, and says which', async () => {
    const first = await startCommandLine(postgresAlone(), ['migrate']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^ran 0001_records\.sql\n[^]*\nthe records are migrated\n$/);
    const again = await startCommandLine(postgresAlone(), ['migrate', '--json']);
    expect(JSON.parse(again.stdout)).toEqual({
      ran: [],
      views: expect.stringMatching(/^views_\d+$/),
    });
  });

  it('a process starts then, with its build in each line', async () => {
    const version = await startCommandLine(env, ['--version']);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\+[0-9a-f]{12}\n$/);
    const [release] = version.stdout.split('+');
    const projector = await startChild('projector', env);
    projector.signal('SIGTERM');
    expect(await projector.ended).toBe(0);
    const builds = projector.lines.map((line) => (JSON.parse(line) as { build?: string }).build);
    expect(new Set(builds)).toEqual(
      new Set([expect.stringMatching(`^${release ?? ''}\\+[0-9a-f]{12}$`)]),
    );
  });

  it('a later release stops the command, and a process only if it removed something', async () => {
    await database.query(
      `insert into records.migrations (number, name, checksum) values (9998, '9998_later.sql', 'x')`,
    );
    const step = await startCommandLine(postgresAlone(), ['migrate']);
    expect(step.code).toBe(1);
    expect(step.stderr).toMatch(
      /^the records are at migration 9998, and this release ends at \d+: migrate with the newer release\n$/,
    );
    const beside = await startChild('projector', env);
    beside.signal('SIGTERM');
    expect(await beside.ended).toBe(0);
    await database.query(
      `insert into records.migrations (number, name, checksum, needs) values (9999, '9999_drop.sql', 'x', 9998)`,
    );
    for (const app of ['api', 'projector', 'worker'])
      expect(await refusalOf(app)).toMatch(
        /^migration 9999_drop\.sql needs a release that has migration 9998, and this one ends at \d+: start a newer release$/,
      );
  });
});
