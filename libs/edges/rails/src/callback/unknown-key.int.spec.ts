import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { countUnopenedCallbacks } from '#records/rails';
import { Keyring, sealToken } from '#shared/signing';
import {
  accepted,
  paidCallback,
  phone,
  RailHarness,
  untrustedAddress,
} from '../../../../../test/rail/harness.js';
import { InboxStep } from '../inbox/inbox-step.js';
import { UnopenedStep } from '../inbox/unopened-step.js';

const acknowledged = [200, { ResultCode: 0, ResultDesc: 'Accepted' }];
const posted = [
  'CollectionIntentRecorded',
  'RailPushAccepted',
  'RailConfirmed',
  'WalletPosted',
] as const;
const oldKey = { id: 'k1', bytes: Buffer.alloc(32, 7) };
const newKey = { id: 'k2', bytes: Buffer.alloc(32, 8) };

/** An API and a worker that know only the old key. */
let harness: RailHarness;
/** The processes that were deployed with the new key. */
let deployed: NestFastifyApplication;
const newRing = Keyring.from([newKey, oldKey]);

beforeAll(async () => {
  harness = await RailHarness.start();
  deployed = await RailHarness.beside(harness, newRing);
});
afterAll(() => harness.stop());
beforeEach(async () => {
  await harness.database.query('delete from records.unopened_callbacks');
  await harness.database.query('delete from records.token_keys');
});

/** Notes the new key, as each process does that has it in front, before it makes a token. */
const register = () =>
  harness.database.query(`insert into records.token_keys values ('k2', records.now_())`);

const workerOf = (app: NestFastifyApplication) => async () => {
  await app.get(UnopenedStep, { strict: false }).step();
  await app.get(InboxStep, { strict: false }).step();
};
const unopened = () =>
  harness.database.query<{ id: string; from_rail: boolean; text: string }>(
    `select id, from_rail, encode(ciphertext, 'escape') as text from records.unopened_callbacks`,
  );

it('a callback under a key that the edge lacks is kept, and posted by the worker that has the key', async () => {
  const push = accepted();
  const stream = await harness.collection(push);
  const token = sealToken(newRing, stream);
  expect(await harness.post(token, paidCallback(push.railReference))).toEqual(acknowledged);

  await workerOf(harness.app)();
  const [row, ...others] = await unopened();
  expect(others).toEqual([]);
  expect(row?.from_rail).toBe(true);
  expect(row?.text).not.toContain(phone);
  expect(row?.text).not.toContain(token.slice(-32));

  await harness.database.query(
    `update records.unopened_callbacks set received_at = received_at - interval '1 minute'`,
  );
  await workerOf(deployed)();
  expect(await harness.types(stream)).toEqual(posted);
  expect(await unopened()).toEqual([]);
  const [entry] = await harness.database.query<{ age: number; trusted: boolean }>(
    `select extract(epoch from records.now_() - received_at)::float8 as age, trusted
       from records.callback_inbox where stream = $1`,
    [stream],
  );
  expect(entry?.trusted).toBe(true);
  expect(entry?.age).toBeGreaterThan(59);
});

it('a callback of an untrusted sender under an unknown key stays untrusted', async () => {
  const push = accepted();
  const stream = await harness.collection(push);
  await register();
  await harness.post(
    sealToken(newRing, stream),
    paidCallback(push.railReference),
    untrustedAddress,
  );
  expect(await countUnopenedCallbacks(harness.database)).toBe(1);
  await workerOf(deployed)();
  expect(await harness.inboxOf(stream)).toMatchObject([{ trusted: false }]);
});

it('a callback forged under the new key’s id is dropped by the worker that has the key, and counted', async () => {
  const forger = Keyring.from([{ id: 'k2', bytes: Buffer.alloc(32, 9) }]);
  const stream = await harness.collection();
  await harness.post(sealToken(forger, stream), paidCallback('ws_CO_1'));
  expect(await unopened()).toHaveLength(1);
  await workerOf(deployed)();
  expect(await unopened()).toEqual([]);
  expect(await harness.inboxOf(stream)).toEqual([]);
});

it.each([
  ['a body that is no callback', '{"paid":true}'],
  ['a body far larger than the rail’s', paidCallback('ws_CO_1') + ' '.repeat(5000)],
])('the edge keeps nothing of %s', async (_, body) => {
  const token = sealToken(newRing, 'collection-demo:m1:r1');
  expect(await harness.post(token, body)).toEqual(acknowledged);
  expect(await unopened()).toEqual([]);
});

it('the edge keeps nothing of a token that is too short or has an impossible key id', async () => {
  const head = (id: string) => Buffer.concat([Buffer.from([1, id.length]), Buffer.from(id)]);
  const made = [
    Buffer.concat([head('k9'), Buffer.alloc(40)]),
    Buffer.concat([head('k 9'), Buffer.alloc(100)]),
    Buffer.concat([head(''), Buffer.alloc(100)]),
    Buffer.concat([head('k'.repeat(33)), Buffer.alloc(100)]),
    Buffer.from([1, 200, 1, 2]),
  ];
  for (const bytes of made)
    expect(await harness.post(bytes.toString('hex'), paidCallback('ws_CO_1'))).toEqual(
      acknowledged,
    );
  expect(await unopened()).toEqual([]);
});

const madeUp = (id: string) =>
  sealToken(Keyring.from([{ id, bytes: Buffer.alloc(32, 9) }]), 'collection-demo:m1:r1');

it('an untrusted sender’s token under a key that this installation never had is stray, and not kept', async () => {
  await register();
  const strays = async () => {
    const text = await harness.metrics.registry.metrics();
    return Number(/rail_callbacks_total\{outcome="no_token"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  const before = await strays();
  const flood = Array.from({ length: 60 }, (_unused, n) =>
    harness.post(madeUp(`made-up-${n}`), paidCallback(`ws_CO_${randomUUID()}`), untrustedAddress),
  );
  for (const answer of await Promise.all(flood)) expect(answer).toEqual(acknowledged);
  expect((await strays()) - before).toBe(60);
  expect(await unopened()).toEqual([]);
  // It takes no place of a sender that names the new key.
  const token = sealToken(newRing, 'collection-demo:m1:r1');
  expect(await harness.post(token, paidCallback('ws_CO_1'), untrustedAddress)).toEqual(
    acknowledged,
  );
  expect(await unopened()).toHaveLength(1);
});

it('the count includes the rail’s callbacks under any key, but no untrusted row under a made-up key', async () => {
  const count = () => countUnopenedCallbacks(harness.database);
  // A release before this one kept such rows.
  await harness.database.query(
    `insert into records.unopened_callbacks (id, token_key_id, key_id, ciphertext, source_address, from_rail)
       values (gen_random_uuid(), 'made-up', 'k1', '', '203.0.113.7', false)`,
  );
  expect(await count()).toBe(0);
  expect(await harness.post(madeUp('dropped'), paidCallback('ws_CO_1'))).toEqual(acknowledged);
  expect(await count()).toBe(1);
});

it('untrusted senders that name the new key keep little, and the rail’s own callbacks still arrive', async () => {
  const stream = 'collection-demo:m1:r1';
  await register();
  const flood = Array.from({ length: 60 }, () => {
    const body = paidCallback(`ws_CO_${randomUUID()}`);
    return harness.post(madeUp('k2'), body, untrustedAddress);
  });
  const answers = await Promise.all(flood);
  const refused = answers.filter(([status]) => status === 503).length;
  expect(refused).toBeGreaterThan(0);
  expect(await unopened()).toHaveLength(answers.length - refused);

  // The most that are kept from untrusted senders.
  await harness.database.query(
    `insert into records.unopened_callbacks (id, token_key_id, key_id, ciphertext, source_address, from_rail)
     select gen_random_uuid(), 'made-up', 'k1', '', '203.0.113.7', false from generate_series(1, 2000)`,
  );
  const token = sealToken(newRing, stream);
  expect((await harness.post(token, paidCallback('ws_CO_1'), untrustedAddress))[0]).toBe(503);
  expect(await harness.post(token, paidCallback('ws_CO_1'))).toEqual(acknowledged);
});
