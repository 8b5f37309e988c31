import { collectionEventTypes } from '#domain/collections';
import { EventStoreDb } from '#infra/eventstoredb';
import { merchantEventTypes } from '#domain/merchants';
import { loadDataKeys } from '#adapters/keys';
import { Database } from '#infra/postgres';
import { createLogger, parseMasterKeys } from '#infra/runtime';
import { Keyring, openEvidence } from '#shared/signing';
import { type Child, eventually, type MerchantClient, pesapost, startService } from '#testing';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const newId = 'rotated-2';
const keys = {
  old: `rotated-1:${randomBytes(32).toString('base64')}`,
  fresh: `${newId}:${randomBytes(32).toString('base64')}`,
};
const both = `${keys.fresh},${keys.old}`;
const patience = { withinMs: 60_000, everyMs: 200 } as const;
const logger = createLogger({ app: 'tests', level: 'fatal' });

let service: Awaited<ReturnType<typeof startService>>;
let database: Database;
/** Deployed with the new key in front. */
let promoted: readonly Child[] = [];
const references: string[] = [];

beforeAll(async () => {
  // No query ever answers for a callback that is lost; and the callbacks come when both APIs have pushed.
  service = await startService({
    MASTER_KEY: keys.old,
    RAIL_QUERY_DELAYS: '1h,2h',
    SIMULATOR_DELAY: '1s',
  });
  const url = service.env['DATABASE_URL'] ?? '';
  database = new Database({ url, app: 'tests', logger });
}, 180_000);
afterAll(async () => {
  await database.close();
  await service.stop();
}, 60_000);

async function collect(merchant: MerchantClient, name: string): Promise<void> {
  const made = Array.from({ length: 8 }, (_unused, n) => `${name}-${n}`);
  await Promise.all(
    made.map(async (reference) => {
      expect((await merchant.collect({ reference })).status).toBe(202);
    }),
  );
  references.push(...made);
}

async function untilCompleted(merchant: MerchantClient): Promise<void> {
  const statuses = () =>
    Promise.all(
      references.map(async (reference) => {
        const answer = await merchant.get(`/api/v4/collections/${reference}`);
        return answer.body['status'];
      }),
    );
  const found = await eventually(
    statuses,
    (all) => all.every((status) => status === 'completed'),
    patience,
  );
  expect(new Set(found)).toEqual(new Set(['completed']));
}

async function end(children: readonly Child[]): Promise<void> {
  for (const child of children) child.signal('SIGTERM');
  await Promise.all(children.map(({ ended }) => ended));
}

/** In the place of the first API, to which the rail's callbacks go. */
function deployed(masterKey: string): Promise<readonly Child[]> {
  const settings = { MASTER_KEY: masterKey };
  const port = new URL(service.baseUrl).port;
  return Promise.all([
    service.startReplica('api', { ...settings, PORT: port }),
    service.startReplica('worker', settings),
  ]);
}

it('no callback is lost between APIs of which one alone has the new key', async () => {
  const other = await service.startReplica('api', { MASTER_KEY: both });
  const atOther = service.merchant.at(`http://127.0.0.1:${String(other.ports.port)}`);
  // Callbacks for both come to the API that has the old key alone.
  await Promise.all([collect(service.merchant, 'old'), collect(atOther, 'new')]);
  const worker = await service.startReplica('worker', { MASTER_KEY: both });
  await untilCompleted(atOther);
  const rows = await database.query('select 1 from records.unopened_callbacks');
  expect(rows).toEqual([]);

  await end([other, worker, service.child('api'), service.child('worker')]);
  promoted = await deployed(both);
}, 240_000);

it('after rewrap the old key is needed by no record and no event, and everything opens without it', async () => {
  const env = { ...service.env, MASTER_KEY: both };
  await collect(service.merchant, 'promoted');
  await untilCompleted(service.merchant);
  const rewrapped = (await pesapost(env, 'keys', 'rewrap')) as unknown as {
    tables: { table: string; rewrapped: number; unopenable: string[]; of_unknown_keys: number }[];
  };
  expect(rewrapped.tables.find(({ table }) => table === 'secrets')?.rewrapped).toBeGreaterThan(0);
  for (const { unopenable, of_unknown_keys } of rewrapped.tables)
    expect([unopenable, of_unknown_keys]).toEqual([[], 0]);

  const status = (await pesapost(env, 'keys', 'status')) as unknown as { keys: object[] };
  expect(status.keys).toMatchObject([
    { key_id: newId, first: true, events: 0 },
    { key_id: 'rotated-1', first: false, records: {}, events: 0 },
  ]);

  await end(promoted);
  await deployed(keys.fresh);
  await collect(service.merchant, 'after');
  await untilCompleted(service.merchant);
  await expectAllOpens();
}, 240_000);

/** With the new key alone. */
async function expectAllOpens(): Promise<void> {
  const masterKeys = parseMasterKeys(keys.fresh);
  if ('problem' in masterKeys) throw new Error(masterKeys.problem);
  const keyring = Keyring.from(masterKeys);
  await loadDataKeys(database, keyring, logger);

  const words = await database.query<{ id: string; key_id: string; ciphertext: Buffer }>(
    'select id, key_id, ciphertext from records.rail_messages',
  );
  expect(words.length).toBeGreaterThanOrEqual(references.length);
  for (const { id, key_id, ciphertext } of words)
    expect(keyring.openBytes('rail-message', key_id, ciphertext, id).toString()).toContain(
      'stkCallback',
    );

  const store = new EventStoreDb({
    connectionString: service.env['EVENTSTORE_URL'] ?? '',
    eventTypes: { ...collectionEventTypes, ...merchantEventTypes },
    logger,
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    for (const reference of references) {
      const { merchantId } = service.merchant.credentials;
      const history = await store.readStream(`collection-demo:${merchantId}:${reference}`);
      const proven = history.filter(({ metadata }) => metadata.evidence !== undefined);
      // The merchant's request and the rail's callback.
      expect(proven.length).toBeGreaterThanOrEqual(2);
      for (const { metadata } of proven) {
        const { evidence, commitment = '' } = metadata;
        if (evidence) openEvidence(keyring, { evidence, commitment });
      }
    }
  } finally {
    await store.dispose();
  }
}
