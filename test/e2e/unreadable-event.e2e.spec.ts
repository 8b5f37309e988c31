import { randomUUID } from 'node:crypto';
import { type NewEvent } from '#domain/event-sourcing';
import { type EventStoreDb } from '#infra/eventstoredb';
import {
  eventually,
  openStore,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
  type CommandOutcome,
  typed,
} from '#testing';
import { viewSchema } from '#views/view-set';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

type Line = Readonly<Record<string, unknown>>;

/** A log of its own: its events cannot be removed. */
let servers: OwnServers;
let service: Service;
let store: EventStoreDb;
let position: bigint;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService(servers.env);
  store = openStore(servers.env.EVENTSTORE_URL);
  expect((await service.merchant.collect({ reference: 'INV-1' })).status).toBe(202);
  await completed('INV-1');
  const actor = { kind: 'system', id: 'spec' } as const;
  const unreadable = {
    id: randomUUID(),
    event: { type: 'ReviewFlagged', data: ['no object'] },
    metadata: { v: 1, correlationId: 'spec', actor },
  } as const satisfies NewEvent;
  const appended = await store.append('collection-demo:m-2:BAD', 'no_stream', [unreadable]);
  ({ position } = appended);
  expect((await service.merchant.collect({ reference: 'INV-2' })).status).toBe(202);
});
afterAll(async () => {
  await store.dispose();
  await service.stop();
  await servers.stop();
});

async function completed(reference: string): Promise<void> {
  await eventually(
    () => service.merchant.get('/api/v4/transactions?status=completed'),
    ({ body }) => (body['data'] as Line[]).some((item) => item['reference'] === reference),
    { withinMs: 60_000, everyMs: 200 },
  );
}

const said = (...words: readonly string[]): Promise<CommandOutcome> => typed(service.env, ...words);

const linesOf = ({ stdout }: CommandOutcome): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

it('an unreadable event does not block any other merchant', async () => {
  await completed('INV-2');
  expect((await said('projection', 'quarantine', 'list')).stdout).toContain(`${position}`);
});

it('settings for a merchant whose own stream is quarantined are recorded, and reported as not in force', async () => {
  const created = await said('merchant', 'create', '--name', 'Soko', '--reason', 'spec', '--json');
  const { merchant_id: merchantId } = JSON.parse(created.stdout) as { merchant_id: string };
  const of = ['--merchant', merchantId, '--reason', 'spec'] as const;
  const fee = ['fee', 'set', ...of, '--mode', 'demo', '--basis-points', '90'] as const;
  expect(await said(...fee)).toMatchObject({ code: 0, stderr: '' });
  const database = new pg.Client({ connectionString: servers.env.DATABASE_URL });
  await database.connect();
  await database.query(
    `insert into ${viewSchema()}.quarantines (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
     values ($1, 'merchant', 7, 'merchant-' || $1, 'FeeScheduleSet', gen_random_uuid(), now(), 'spec', 6)`,
    [merchantId],
  );
  await database.end();
  const endpoint = [
    'webhook',
    'set',
    ...of,
    '--mode',
    'demo',
    '--url',
    'https://soko.example',
  ] as const;
  for (const words of [fee, ['hosts', 'set', ...of, '--hosts', 'soko.example'], endpoint])
    expect(await said(...words)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`${merchantId} are quarantined since position 7`),
    });
});

it('the log as lines ends at an unreadable event, names it, and continues after it', async () => {
  const before = await said('events');
  expect(before).toMatchObject({ code: 1, stderr: expect.stringContaining(`${position}`) });
  expect(linesOf(before)).toContainEqual(expect.objectContaining({ type: 'WalletPosted' }));
  const behind = await said('events', '--from', `${position}`);
  expect(behind).toMatchObject({ code: 0, stderr: '' });
  const [first] = linesOf(behind);
  expect(first).toMatchObject({ type: 'CollectionIntentRecorded', data: { reference: 'INV-2' } });
});

it('the report of what needs a master key works despite an unreadable event', async () => {
  const { code, stdout } = await said('keys', 'status', '--json');
  expect(code).toBe(0);
  const [first] = (JSON.parse(stdout) as { keys: Line[] }).keys;
  expect(first).toMatchObject({ first: true, events: expect.any(Number) });
});
