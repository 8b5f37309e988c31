import { eventTypes } from '#domain/event-types';
import { EventStoreDb } from '#infra/eventstoredb';
import { loadDataKeys } from '#records/keys';
import { findMessages } from '#records/evidence';
import { Database } from '#infra/postgres';
import { createLogger, parseMasterKeys } from '#infra/runtime';
import { Keyring, openEvidence, openMessage } from '#shared/signing';
import {
  type Child,
  eventually,
  type MerchantClient,
  patientPool,
  pesapost,
  startService,
} from '#testing';
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
/** The rail's ids end in it: the key that hides it there must open, whichever master key is first. */
const phone = '254700000021';

let service: Awaited<ReturnType<typeof startService>>;
let database: Database;
/** Deployed with the new key in front. */
let promoted: readonly Child[] = [];
const references: string[] = [];

beforeAll(async () => {
  // No query replaces a lost callback, and the callbacks come after both APIs have pushed.
  service = await startService({
    MASTER_KEY: keys.old,
    RAIL_QUERY_DELAYS: '1h,2h',
    SIMULATOR_DELAY: '1s',
  });
  const url = service.env['DATABASE_URL'] ?? '';
  database = new Database({ ...patientPool, url, app: 'tests', logger });
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

async function collect(merchant: MerchantClient, name: string): Promise<void> {
  const made = Array.from({ length: 8 }, (_unused, n) => `${name}-${n}`);
  await Promise.all(
    made.map(async (reference) => {
      expect((await merchant.collect({ reference, phone })).status).toBe(202);
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

/** These replace the first API, to which the rail's callbacks go. */
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
  // Callbacks for both come to the API that has only the old key.
  await Promise.all([collect(service.merchant, 'old'), collect(atOther, 'new')]);
  const worker = await service.startReplica('worker', { MASTER_KEY: both });
  await untilCompleted(atOther);
  // The entry is deleted after the event has come.
  const left = () => database.query('select 1 from records.unopened_callbacks');
  expect(await eventually(left, (rows) => rows.length === 0, patience)).toEqual([]);

  await end([other, worker, service.child('api'), service.child('worker')]);
  promoted = await deployed(both);
});

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
});

/** Checks with only the new key. */
async function expectAllOpens(): Promise<void> {
  const masterKeys = parseMasterKeys(keys.fresh);
  if ('problem' in masterKeys) throw new Error(masterKeys.problem);
  const keyring = Keyring.from(masterKeys);
  await loadDataKeys(database, keyring, logger);

  const { merchantId } = service.merchant.credentials;
  const streams = references.map((reference) => `collection-demo:${merchantId}:${reference}`);
  const ownKeys = new Map<string, Buffer>();
  for (const stream of streams) {
    const kept = new Map<string, string>();
    for (const { id, kind, ownKey, ...sealed } of await findMessages(database, stream, 100)) {
      if (!ownKey) throw new Error('a message was erased');
      ownKeys.set(id, ownKey);
      kept.set(kind, openMessage(keyring, { messageId: id, ownKey }, sealed).toString());
    }
    expect(Object.fromEntries(kept)).toEqual({
      request: expect.stringContaining('account_no') as unknown,
      push_answer: expect.stringContaining('CheckoutRequestID') as unknown,
      callback: expect.stringContaining('stkCallback') as unknown,
    });
  }

  const store = new EventStoreDb({
    connectionString: service.env['EVENTSTORE_URL'] ?? '',
    eventTypes,
    logger,
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    for (const stream of streams) {
      const history = await store.readStream(stream);
      const proven = history.filter(({ metadata }) => metadata.evidence !== undefined);
      // The merchant's request, the rail's answer to the push and its callback.
      expect(proven.length).toBeGreaterThanOrEqual(3);
      for (const { metadata } of proven) {
        const { evidence, commitment = '' } = metadata;
        const ownKey = ownKeys.get(evidence?.messageId ?? '');
        if (evidence) openEvidence(keyring, { evidence, commitment }, ownKey);
      }
    }
  } finally {
    await store.dispose();
  }
}
