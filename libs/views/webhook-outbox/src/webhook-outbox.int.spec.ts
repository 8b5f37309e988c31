import { History, type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { merchantStream, type WebhookEndpointSet } from '#domain/merchants';
import { type ItemEvent, transactionFrom } from '#views/transactions';
import { instantFromMs } from '#domain/kernel';
import { type RecordedEvent } from '#domain/event-sourcing';
import { oweQuarantined } from './owe-quarantined.js';
import { type FeedPage, listWebhookEvents } from './query.js';

let server: ThrowAwayDatabase;
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(() => server.drop());
beforeEach(async () => {
  await server.database.query('truncate records.webhook_deliveries');
});

const endpoint = {
  mode: 'demo',
  kind: 'v4',
  url: 'https://duka.example/hooks',
  enabled: true,
} as const;

function set(history: History, change: Partial<WebhookEndpointSet['data']> = {}): void {
  history.append(merchantStream('m-1'), {
    type: 'WebhookEndpointSet',
    data: { ...endpoint, ...change },
  });
}

async function paid(history: History, reference: string, merchant?: 'm-2'): Promise<string> {
  const stream = await history.intend(reference, merchant);
  history.accept(stream);
  history.pay(stream);
  return stream;
}

async function declined(history: History, reference: string): Promise<string> {
  const stream = await history.intend(reference);
  history.accept(stream);
  history.decline(stream);
  return stream;
}

interface Owed {
  readonly kind: string;
  readonly sequence: bigint;
  readonly type: string;
}
function owed(): Promise<Owed[]> {
  return server.database.query<Owed>(
    'select kind, sequence, type from records.webhook_deliveries order by kind desc, sequence',
  );
}

const page: FeedPage = { merchantId: 'm-1', mode: 'demo', after: 0n, limit: 100 };
async function feed(history: History, change: Partial<FeedPage> = {}) {
  await history.database.query('update checkpoint set fresh_at = records.now_()');
  return listWebhookEvents(history.database, { ...page, ...change }, { maxAgeMs: 3_600_000 });
}

/** Another set of views of the same log, made in one batch. */
async function rebuilt(events: readonly RecordedEvent[]): Promise<History> {
  const history = await History.begin(server);
  history.log.events.splice(0, Infinity, ...events);
  await history.project();
  return history;
}

it('outcomes are numbered per merchant and mode without gaps, for any batches', async () => {
  const history = await History.begin(server);
  await paid(history, 'A');
  await paid(history, 'B', 'm-2');
  await declined(history, 'C');
  history.payOut('P', 'request', 'approve', 'start', 'decline', 'pay late');
  history.payOut('Q', 'request', 'reject');
  await history.project(1);
  const one = await feed(history);
  const types = one.bodies.map((body) => {
    const { sequence, type } = JSON.parse(body) as { sequence: number; type: string };
    return `${sequence} ${type}`;
  });
  expect(types).toEqual([
    '1 collection.completed',
    '2 collection.failed',
    '3 payout.failed',
    '4 payout.completed',
    '5 payout.rejected',
  ]);
  expect((await feed(history, { merchantId: 'm-2' })).bodies).toHaveLength(1);
  expect(await feed(history, { mode: 'live' })).toMatchObject({ bodies: [], last: 0n });
  const { position: _position, ...second } = await feed(history, { after: 1n, limit: 2 });
  expect(second).toMatchObject({ bodies: one.bodies.slice(1, 3), last: 3n });

  expect((await feed(await rebuilt(history.log.events))).bodies).toEqual(one.bodies);
});

it('a body has the item as of its event, even if a later event of the batch changes it', async () => {
  const history = await History.begin(server);
  const stream = await declined(history, 'LATE');
  history.pay(stream);
  await history.project();
  const { bodies } = await feed(history);
  const events = history.log.events.filter((event) => event.stream === stream);
  const asOf = (type: string): unknown => {
    const end = events.findIndex((event) => event.type === type);
    const item = transactionFrom(events.slice(0, end + 1) as RecordedEvent<ItemEvent>[]);
    return JSON.parse(
      JSON.stringify(item, (_key, of: unknown) => (typeof of === 'bigint' ? Number(of) : of)),
    );
  };
  const told = events.find(({ type }) => type === 'RailDeclined');
  expect(JSON.parse(bodies[0] ?? '')).toEqual({
    id: told?.id,
    type: 'collection.failed',
    created_at: told?.recordedAt,
    mode: 'demo',
    sequence: 1,
    data: asOf('RailDeclined'),
  });
  expect(JSON.parse(bodies[1] ?? '')).toMatchObject({
    type: 'collection.completed',
    data: asOf('WalletPosted'),
  });
});

it('a webhook is owed to the endpoint set at the event, and not owed if there was no endpoint', async () => {
  const history = await History.begin(server);
  await paid(history, 'BEFORE');
  set(history);
  set(history, { kind: 'v3', url: 'https://duka.example/v3' });
  await paid(history, 'SET');
  history.payOut('P', 'request', 'reject');
  // Set again and then disabled in the batch that also contains earlier outcomes.
  set(history, { url: 'https://duka.example/elsewhere' });
  await paid(history, 'MOVED');
  set(history, { enabled: false });
  await paid(history, 'DISABLED');
  await history.project();
  expect(await owed()).toEqual([
    { kind: 'v4', sequence: 2n, type: 'collection.completed' },
    { kind: 'v4', sequence: 3n, type: 'payout.rejected' },
    { kind: 'v4', sequence: 4n, type: 'collection.completed' },
    { kind: 'v3', sequence: 2n, type: 'collection.completed' },
    { kind: 'v3', sequence: 4n, type: 'collection.completed' },
    { kind: 'v3', sequence: 5n, type: 'collection.completed' },
  ]);
});

it('V3 deliveries are separated by the host of the collection’s own URL, as a URL names it', async () => {
  const history = await History.begin(server);
  set(history, { kind: 'v3', url: 'https://duka.example/v3' });
  const urls = ['https://own.example:8443/c?a=1', 'https://[2001:db8::1]/c', undefined];
  for (const [at, callbackUrl] of urls.entries()) {
    const stream = await paid(history, `R${at}`);
    const intent = history.log.events.find((event) => event.stream === stream);
    if (callbackUrl !== undefined) Object.assign(intent?.data as object, { callbackUrl });
  }
  await history.project();
  const hosts = await server.database.query(
    'select callback_host as host from records.webhook_deliveries order by sequence',
  );
  const named = urls.map((url) => (url === undefined ? '' : new URL(url).hostname));
  expect(hosts).toEqual(named.map((host) => ({ host })));
  expect(named).toEqual(['own.example', '[2001:db8::1]', '']);
});

it('a rebuild does not add webhooks that were delivered or are older than their retries', async () => {
  const history = await History.begin(server);
  set(history);
  await paid(history, 'A');
  await history.project();
  await server.database.query(
    `update records.webhook_deliveries set next_attempt_at = null, outcome = 'delivered'`,
  );
  await rebuilt(history.log.events);
  const left = `select 1 from records.webhook_deliveries where next_attempt_at is not null`;
  expect(await server.database.query(left)).toEqual([]);

  await server.database.query('truncate records.webhook_deliveries');
  const recordedAt = instantFromMs(Date.now() - 31 * 86_400_000);
  await rebuilt(history.log.events.map((event) => ({ ...event, recordedAt })));
  expect(await owed()).toEqual([]);
});

it('a quarantined merchant’s webhooks that another set has numbered are owed page by page and once', async () => {
  const [serving, other] = [await History.begin(server), await History.begin(server)];
  set(other);
  await other.project();
  const sets = { serving: await schemaOf(serving), other: await schemaOf(other) };
  await server.database.query(`
    insert into ${sets.other}.webhook_events
    select 'm-1', mode, n, gen_random_uuid(), 'collection.completed', 1000 + n, records.now_() - n_days * interval '1 day', null, ''
    from generate_series(1, 5000) n, (values ('live'), ('demo')) modes (mode),
      lateral (select case when n <= 1000 then 31 else 1 end as n_days) days`);
  const held = (scope: string, appliedTo: number): Promise<unknown> =>
    server.database.query(
      `insert into ${sets.serving}.quarantines (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
       values ('m-1', $1, 9000, 's', 't', gen_random_uuid(), records.now_(), 'why', $2)`,
      [scope, appliedTo],
    );
  const range = async (): Promise<unknown> =>
    server.database.query(
      'select min(sequence), max(sequence), count(*) from records.webhook_deliveries',
    );
  const owedTo = new Map<string, bigint>();
  // The live mode never had an endpoint.
  await held('live', 1);
  await held('demo', 1500);
  await oweQuarantined(server.database, sets, owedTo);
  expect(await range()).toEqual([{ min: 1001n, max: 5000n, count: 4000n }]);

  await server.database.query('truncate records.webhook_deliveries');
  await oweQuarantined(server.database, sets, owedTo);
  expect(await owed()).toEqual([]);
  await server.database.query(`update ${sets.serving}.quarantines set applied_to = 4990`);
  await oweQuarantined(server.database, sets, new Map());
  await oweQuarantined(server.database, sets, new Map());
  expect(await range()).toEqual([{ min: 3991n, max: 5000n, count: 1010n }]);
});

async function schemaOf({ database }: History): Promise<string> {
  const [row] = await database.query<{ schema: string }>('select current_schema() as schema');
  return row?.schema ?? '';
}
