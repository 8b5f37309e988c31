import {
  eventually,
  pesapost,
  type Service,
  startService,
  type OwnServers,
  startOwnServers,
  typed,
} from '#testing';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { viewSchema } from '#views/view-set';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let servers: OwnServers;
let service: Service;
const reference = 'looked-up-1';
const requestId = randomUUID();
let item: Record<string, unknown>;

beforeAll(async () => {
  // Its own servers: reviews that other specs leave in a shared log must not affect this status.
  servers = await startOwnServers();
  service = await startService({ ...servers.env, RAIL_QUERY_DELAYS: '1h,2h' });
  await service.merchant.send('POST', '/api/v4/collections', {
    body: JSON.stringify({
      account_no: service.merchant.credentials.accountNo,
      phone: '254712345678',
      amount_minor: 10_000,
      currency: 'KES',
      channel: 'mpesa',
      reference,
    }),
    headers: { 'idempotency-key': randomUUID(), 'x-request-id': requestId },
  });
  item = await eventually(
    async () => {
      const { body } = await service.merchant.get('/api/v4/transactions');
      return (body['data'] as Record<string, unknown>[])[0] ?? {};
    },
    (found) => found['status'] === 'completed',
    { withinMs: 60_000, everyMs: 300 },
  );
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

async function statementCode(): Promise<string> {
  const response = await fetch(`${service.simulatorUrl}/_statement.csv`);
  const line = (await response.text())
    .split('\n')
    .find((each) => each.includes(String(item['receipt'])));
  return line?.trim().split(',').at(-1)?.replaceAll('"', '') ?? '';
}

describe('lists', () => {
  const stopped = 'm-that-stands-still';
  const incomplete = `incomplete: quarantined views of merchant ${stopped} in live mode since position 17 (npx pesapost projection quarantine list)`;
  const lists = ['pending list', 'review list', 'payout list', 'payout batch list'];
  lists.push('correction list', 'reconcile list', 'webhook deliveries');

  const standStill = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: servers.env.DATABASE_URL });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };

  beforeAll(() =>
    standStill(`insert into ${viewSchema()}.quarantines
      (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
      values ('${stopped}', 'live', 17, 's', 't', '${randomUUID()}', now(), 'the test made it so', 16)`),
  );
  afterAll(() => standStill(`delete from ${viewSchema()}.quarantines`));

  it.each(lists)(
    '%s reports what it can, and exits 1 if the views of a listed merchant are quarantined',
    async (list) => {
      const words = list.split(' ');
      const all = await typed(service.env, ...words, '--json');
      expect(JSON.parse(all.stdout)).toBeInstanceOf(Object);
      expect(all).toMatchObject({ code: 1, stderr: `${incomplete}\n` });
      const { merchantId } = service.merchant.credentials;
      expect(await typed(service.env, ...words, '--merchant', merchantId)).toMatchObject({
        code: 0,
      });
    },
    300_000,
  );

  it('are complete if they are limited to the other mode', async () => {
    const words = ['pending', 'list', '--merchant', stopped, '--mode'];
    expect((await typed(service.env, ...words, 'demo')).code).toBe(0);
    expect((await typed(service.env, ...words, 'live')).code).toBe(1);
  });

  it.each([
    ['reconcile show 0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e', 'no such reconciliation'],
    ['evidence erase --phone 254711999888', 'there is nothing of this number to erase'],
    ['v3 outreach', ''],
    ['v3 readiness', ''],
  ])('%s also reports what it could not search', async (words, otherwise) => {
    const who = words.startsWith('evidence') ? ['--as', 'amina', '--reason', 'she asked'] : [];
    const { code, stderr } = await typed(service.env, ...words.split(' '), ...who);
    expect(code).toBe(1);
    expect(stderr).toContain(otherwise);
    expect(stderr).toContain(incomplete);
  });
});

describe('credential revoke', () => {
  const why = ['--as', 'amina', '--reason', 'laptop lost'];

  it('reports whose the credential is', async () => {
    const of = ['--merchant', service.merchant.credentials.merchantId];
    const issue = [
      'credential',
      'issue',
      '--kind',
      'checkout',
      '--holder',
      'till',
      '--mode',
      'demo',
    ];
    const issued = await pesapost(service.env, ...issue, ...of, ...why);
    const id = String(issued['credential_id']);
    // The views are a moment behind.
    await eventually(
      () => typed(service.env, 'credential', 'revoke', id, ...why),
      ({ code }) => code === 0,
      { withinMs: 60_000, everyMs: 300 },
    );
    const { credentials } = await eventually(
      () => pesapost(service.env, 'credential', 'list', ...of),
      ({ credentials }) => JSON.stringify(credentials).includes('"revoked":true'),
      { withinMs: 60_000, everyMs: 300 },
    );
    expect(credentials).toContainEqual(
      expect.objectContaining({ credential_id: id, revoked: true }),
    );
  });

  it('rejects an unknown credential', async () => {
    const refused = await typed(service.env, 'credential', 'revoke', randomUUID(), ...why);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^no credential \S+ is known/),
    });
  });
});

describe('find', () => {
  it.each([
    ['reference', () => reference],
    ['receipt', () => String(item['receipt']).toLowerCase()],
    ['rail reference', () => String(item['rail_reference'])],
    ['statement code', statementCode],
    ['request id', () => requestId],
  ])(
    'accepts a %s, and so does show',
    async (by, wordOf) => {
      const word = await wordOf();
      const { found } = (await pesapost(service.env, 'find', word)) as unknown as {
        found: Record<string, unknown>[];
      };
      expect(found).toEqual([
        {
          by,
          type: 'collection',
          stream: expect.stringContaining(reference),
          merchant_id: service.merchant.credentials.merchantId,
          mode: 'demo',
          reference,
        },
      ]);
      expect(await pesapost(service.env, 'show', word)).toMatchObject({
        collection: { reference },
      });
    },
    300_000,
  );

  it('accepts the rail’s own id, even if the number in it is hidden', async () => {
    await service.merchant.collect({ reference: 'HIDDEN-1', phone: '254700000021' });
    const { body } = await service.merchant.get('/api/v4/collections/HIDDEN-1');
    const [beside] = String(body['rail_reference']).split('~');
    const found = await eventually(
      () => typed(service.env, 'find', `${beside}700000021`, '--json'),
      ({ code }) => code === 0,
    );
    expect(JSON.parse(found.stdout)).toMatchObject({
      found: [{ by: 'rail reference', reference: 'HIDDEN-1' }],
    });
  });

  it('rejects a term that matches nothing, with exit code 1', async () => {
    await expect(pesapost(service.env, 'find', 'nothing-of-ours')).rejects.toMatchObject({
      code: 1,
    });
  });
});

it('pending list names the items that wait for the rail', async () => {
  // Its callback is lost, and no query is due.
  await service.merchant.collect({ reference: 'waits-1', phone: '254700000006' });
  const found = await eventually(
    () => pesapost(service.env, 'pending', 'list') as Promise<Record<string, unknown>>,
    ({ pending }) => (pending as object[]).length > 0,
    { withinMs: 60_000, everyMs: 500 },
  );
  expect(found['pending']).toMatchObject([
    { reference: 'waits-1', mode: 'demo', amount_minor: 10_000, under_review: false },
  ]);
});

describe('status', () => {
  /** It exits 1 if something is wrong, and prints the same. */
  const told = async (env: Readonly<Record<string, string>>) =>
    JSON.parse((await typed(env, 'status', '--json')).stdout) as {
      ok: boolean;
      lines: { what: string; state: string; tells: string; todo: string | null }[];
    };

  it('asks for a restore drill, which is made on a copy if the servers are embedded', async () => {
    expect((await told(service.env)).lines.at(-1)).toMatchObject({
      what: 'drill',
      state: 'waits',
      tells: 'no restore drill was made yet',
      todo: 'Restore the last backup into another database, and test it.',
      command: expect.stringContaining('npx pesapost drill'),
    });
    const needed = await typed(service.env, 'drill');
    expect([needed.code, needed.stderr]).toEqual([
      1,
      expect.stringContaining('--database is needed with DATABASE_URL'),
    ]);
    // As with npm start's command line: run.json names the servers.
    const directory = await mkdtemp(join(tmpdir(), 'pesapost-drill-'));
    const run = {
      eventstore_url: servers.env.EVENTSTORE_URL,
      database_url: servers.env.DATABASE_URL,
    };
    await writeFile(join(directory, 'run.json'), JSON.stringify(run));
    const unset = { EVENTSTORE_URL: '', DATABASE_URL: '', REDIS_URL: '' };
    const found = await pesapost({ ...service.env, ...unset, DATA_DIR: directory }, 'drill');
    await rm(directory, { recursive: true });
    expect(found).toMatchObject({ copy: 'made', outcome: 'held', faults: [], newer: 0 });
    expect(found['sealed']).toContainEqual(
      expect.objectContaining({ table: 'sealed_messages', unopenable: 0 }),
    );
  });

  it('reports in one screen that everything is well', async () => {
    const found = await eventually(
      () => told(service.env),
      ({ ok }) => ok,
      { withinMs: 60_000, everyMs: 500 },
    );
    expect(found.lines.map(({ what }) => what)).toEqual([
      'postgres',
      'event store',
      'redis',
      'processes',
      'views',
      'callbacks',
      'rail',
      'payouts',
      'webhooks',
      'reviews',
      'pauses',
      'keys',
      'audit',
      'audit check',
      'admins',
      'drill',
    ]);
    expect(found.lines.at(-1)?.tells).toMatch(/^the last one, of .*, passed; a copy of its own, /);
  });

  it('reports what it can if the event store and Redis are down', async () => {
    const away = {
      EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
      REDIS_URL: 'redis://127.0.0.1:1',
    };
    const env = { ...service.env, ...away };
    const { ok, lines } = await told(env);
    expect(ok).toBe(false);
    expect(lines).toMatchObject([
      { what: 'postgres', state: 'ok' },
      { what: 'event store', state: 'down', command: expect.stringContaining('curl ') },
      { what: 'redis', state: 'down' },
      { what: 'processes', state: 'ok' },
      { what: 'views', state: 'ok' },
      { what: 'callbacks' },
      { what: 'rail', state: 'ok' },
      { what: 'payouts', state: 'ok' },
      { what: 'webhooks', state: 'ok' },
      { what: 'reviews', state: 'ok' },
      { what: 'pauses' },
      { what: 'keys', state: 'ok' },
      { what: 'audit', state: 'unknown' },
      { what: 'audit check' },
      { what: 'admins', state: 'unknown' },
      { what: 'drill', state: 'unknown' },
    ]);
  });
});
