import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RecordedEvent } from '#domain/event-sourcing';
import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import {
  eventually,
  issueCredential,
  MerchantClient,
  openStore,
  type OwnServers,
  patientPool,
  pesapost,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decidedByTwo, grantTwoAdmins, type TwoAdmins } from './two-admins.js';

/** A log of its own: all of it is verified. */
let servers: OwnServers;
let service: Service;
let database: Database;
let checker: MerchantClient;
/** Undefined until the log has roles: until then, typed names count. */
let admins: TwoAdmins | undefined;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService(servers.env);
  const logger = createLogger({ app: 'tests', level: 'silent' });
  database = new Database({
    ...patientPool,
    url: service.env['DATABASE_URL'] ?? '',
    app: 'tests',
    logger,
  });
  const { merchant } = service;
  const issued = await issueCredential(service.env, merchant.credentials.merchantId, 'office');
  checker = new MerchantClient(service.baseUrl, { ...merchant.credentials, ...issued });
});
afterAll(async () => {
  await admins?.issuer.stop();
  await database.close();
  await service.stop();
  await servers.stop();
});

type Json = Readonly<Record<string, unknown>>;
interface Message {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly text: string | null;
  readonly named_by: readonly Json[];
}

const whose = () => ['--merchant', service.merchant.credentials.merchantId, '--mode', 'demo'];
const reason = ['--reason', 'dispute 4711'];
const why = () => (admins ? reason : ['--as', 'amina', ...reason]);

const said = (...words: readonly string[]) => service.runCommand(words, admins?.joseph);
const json = (...words: string[]) => pesapost({ ...service.env, ...admins?.joseph }, ...words);

/** Its messages by their kind. */
async function shown(reference: string, ...more: string[]): Promise<Record<string, Message>> {
  const words = ['evidence', 'show', reference, ...whose(), ...why(), ...more];
  const { messages } = (await json(...words)) as unknown as { messages: Message[] };
  return Object.fromEntries(messages.map((message) => [message.kind, message]));
}

async function settled(
  reference: string,
  status: string,
  of: 'collections' | 'payouts' = 'collections',
): Promise<void> {
  await eventually(
    () => service.merchant.get(`/api/v4/${of}/${reference}`),
    ({ body }) => body['status'] === status,
    { withinMs: 60_000, everyMs: 200 },
  );
}

const post = (client: MerchantClient, path: string, body: object) =>
  client.send('POST', path, {
    body: JSON.stringify(body),
    headers: { 'idempotency-key': randomUUID() },
  });
const payout = () => ({
  account_no: service.merchant.credentials.accountNo,
  amount_minor: 1_000,
  currency: 'KES',
  channel: 'mpesa',
});

async function opened(): Promise<RecordedEvent[]> {
  const store = openStore(service.env['EVENTSTORE_URL'] ?? '');
  try {
    return await store.readStream('platform-evidence');
  } finally {
    await store.dispose();
  }
}

/**
 * The settings of a day later, when today is over and can be sealed. A day and the seal's margin: at any hour, one day
 * is over, and no second one.
 */
const tomorrow = () => ({ ...service.env, CLOCK_OFFSET: '1445m', AUDIT_SEAL_KEY: sealKey });
const sealKey = generateKeyPairSync('ed25519')
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const run = promisify(execFile);

const holds = { commitment_is: 'held', digest: 'matches' };
const phone = '254711000001';

describe('the evidence kept of a collection', () => {
  it('is the signed request, the rail’s answer and its callback, each with its event; opening it is recorded', async () => {
    await service.merchant.collect({ reference: 'INV-1', phone, amount_minor: 500_000 });
    await settled('INV-1', 'completed');
    const before = (await opened()).length;
    const { request, push_answer: answer, callback, ...others } = await shown('INV-1');
    expect(others).toEqual({});
    expect(request).toMatchObject({
      state: 'opened',
      text: expect.stringContaining(`"phone":"${phone}"`) as unknown,
      named_by: [
        {
          event: 'CollectionIntentRecorded',
          ...holds,
          signature: 'valid',
          request: { method: 'POST', path: '/api/v4/collections', query: '' },
        },
      ],
    });
    expect(answer).toMatchObject({
      text: expect.stringContaining('CheckoutRequestID') as unknown,
      named_by: [{ event: 'RailPushAccepted', ...holds }],
    });
    expect(callback).toMatchObject({
      text: expect.stringContaining('stkCallback') as unknown,
      named_by: [{ event: 'RailConfirmed', ...holds, rail: { source_address: '127.0.0.1' } }],
    });
    const [event, ...more] = (await opened()).slice(before);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'EvidenceOpened',
      data: {
        stream: `collection-demo:${service.merchant.credentials.merchantId}:INV-1`,
        messages: 3,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      },
      metadata: { actor: { kind: 'operator', id: 'amina' }, reason: 'dispute 4711' },
    });
    expect(JSON.stringify(event, String)).not.toContain(phone.slice(3));
  });

  it.each([
    ['254700000002', 'failed', ['callback', 'push_answer', 'request']],
    ['254700000006', 'completed', ['push_answer', 'query_answer', 'request']],
    ['254700000011', 'failed', ['push_answer', 'request']],
    ['254700000012', 'completed', ['callback', 'request']],
  ])('by simulator number %s, %s, has %j', async (number, status, kinds) => {
    const reference = `NO-${number.slice(-2)}`;
    await service.merchant.collect({ reference, phone: number });
    await settled(reference, status);
    const messages = await eventually(
      () => shown(reference),
      (found) => Object.keys(found).length >= kinds.length,
    );
    // The rail may also be asked while nothing is final.
    expect(Object.keys(messages)).toEqual(expect.arrayContaining(kinds));
    for (const message of Object.values(messages))
      for (const naming of message.named_by) expect(naming).toMatchObject(holds);
  });

  it('does not grow when a caller repeats a call, by its key or by its reference', async () => {
    const again = { reference: 'INV-1', phone, amount_minor: 500_000 };
    const key = randomUUID();
    for (const each of [key, key, randomUUID()]) await service.merchant.collect(again, each);
    expect(Object.keys(await shown('INV-1'))).toHaveLength(3);
    const [{ count } = { count: 0 }] = await database.query<{ count: number }>(
      `select count(*)::int as count from records.sealed_messages where stream like '%:INV-1'`,
    );
    expect(count).toBe(3);
  });
});

it('a payout’s evidence has both requests, the rail’s answer and its result; a batch’s has the batch’s request', async () => {
  await eventually(
    () => post(service.merchant, '/api/v4/payouts', { ...payout(), phone, reference: 'PAY-1' }),
    ({ status }) => status === 202,
  );
  expect((await post(checker, '/api/v4/payouts/PAY-1/approve', { phone })).status).toBe(202);
  const { account_no, currency, channel } = payout();
  const items = ['254711000001', '254711000002'].map((number, index) => ({
    reference: `SAL-${index + 1}`,
    phone: number,
    amount_minor: 1_000,
  }));
  const batch = { account_no, currency, channel, reference: 'SALARIES', items };
  expect((await post(service.merchant, '/api/v4/payout-batches', batch)).status).toBe(202);
  expect((await post(checker, '/api/v4/payout-batches/SALARIES/approve', {})).status).toBe(202);
  await settled('PAY-1', 'completed', 'payouts');
  for (const { reference } of items) await settled(reference, 'completed', 'payouts');

  const [single, item, whole] = [
    await shown('PAY-1'),
    await shown('SAL-2'),
    await shown('SALARIES', '--type', 'batch'),
  ];
  expect(Object.keys(single).sort()).toEqual(['order_answer', 'request', 'result']);
  expect(single['order_answer']?.named_by).toMatchObject([
    { event: 'RailPayoutAccepted', ...holds },
  ]);
  expect(single['result']?.named_by).toMatchObject([{ event: 'RailConfirmed', ...holds }]);
  expect(Object.keys(item).sort()).toEqual(['order_answer', 'request', 'result']);
  expect(item['request']).toMatchObject({
    text: expect.stringContaining('SAL-1') as unknown,
    named_by: [{ event: 'PayoutBatchRequested', ...holds, signature: 'valid' }],
  });
  expect(whole['request']?.state).toBe('opened');
});

describe('erasing a person', () => {
  it('is rejected while an item of the number is not final, and first reports what would be erased', async () => {
    await service.merchant.collect({ reference: 'OPEN-1', phone: '254700000013' });
    const refused = await said('evidence', 'erase', '--phone', '254700000013', '--yes', ...why());
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('OPEN-1 is pending') });
    const failed = await said('evidence', 'erase', '--phone', '0700000002', '--yes', ...why());
    expect(failed).toMatchObject({ code: 1, text: expect.stringContaining('may still be paid') });
    const told = await said('evidence', 'erase', '--phone', phone, ...why());
    expect(told).toMatchObject({
      code: 1,
      text: expect.stringContaining('Give the command once more'),
    });
    expect((await shown('INV-1'))['request']?.state).toBe('opened');
    for (const { text } of [refused, failed, told]) expect(text).not.toContain('711000001');
  });

  it('drops the keys of everything about the person, and verify and commitments stay valid', async () => {
    // A head is recorded when its day is over by the store's clock, too.
    await servers.kill('eventstore');
    await servers.start('eventstore', { CLOCK_OFFSET: '1445m' });
    expect(await pesapost(tomorrow(), 'audit', 'seal')).toMatchObject({ sealed: [{}] });
    const before = await pesapost(service.env, 'verify', '--evidence');
    expect(before).toMatchObject({ differences: 0, evidence: { erased: 0, sealed: 0 } });

    const erase = ['evidence', 'erase', '--phone', phone, '--yes'];
    expect(await said(...erase, ...why())).toMatchObject({
      code: 1,
      text: expect.stringContaining('role first-admins'),
    });
    admins = await grantTwoAdmins(service.env);
    const auditor = ['--person', `${admins.issuer.url}#joseph`, '--name', 'Joseph'];
    await pesapost(admins.asha, 'role', 'grant', ...auditor, '--role', 'auditor', ...reason);
    await decidedByTwo(admins, ...erase, ...reason);
    for (const reference of ['INV-1', 'PAY-1', 'SAL-1']) {
      const messages = Object.values(await shown(reference));
      expect(messages.map(({ state, text }) => [state, text])).toEqual(
        messages.map(() => ['erased', null]),
      );
      for (const { named_by } of messages)
        expect(named_by).toMatchObject(named_by.map(() => ({ commitment_is: 'sealed' })));
    }
    // Another person's payout of the same batch keeps the rail's reports; the request named both.
    const other = await shown('SAL-2');
    expect([other['request']?.state, other['result']?.state]).toEqual(['erased', 'opened']);

    const after = await pesapost(service.env, 'verify', '--evidence');
    expect(after).toMatchObject({ differences: 0, evidence: { sealed: 0 } });
    // Heads were signed before, and are checked again after.
    const checking = service.spawnCommand(['audit', 'check'], tomorrow());
    expect({ code: await checking.ended, said: checking.lines }).toEqual({
      code: 0,
      said: expect.arrayContaining(['no faults']) as unknown,
    });
    const proof = await mkdtemp(join(tmpdir(), 'pesapost-proof-'));
    const prove = ['audit', 'prove', 'INV-1', ...whose(), '--out', proof];
    // The command uses today's clock, for which the session is valid.
    await pesapost({ ...service.env, ...admins.joseph }, ...prove);
    const files = ['proof.json', 'head.json', 'public.pem'].map((name) => join(proof, name));
    const { stdout } = await run(process.execPath, ['verifier/verify.mjs', ...files]);
    expect(stdout).not.toBe('');
    await rm(proof, { recursive: true });
    const all = (await opened()).filter(({ type }) => type === 'EvidenceErased');
    expect(all).toMatchObject([
      {
        data: {
          streams: 3,
          proposedBy: `${admins.issuer.url}#asha`,
          phoneHmac: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        metadata: { actor: { id: `${admins.issuer.url}#joseph` }, reason: 'dispute 4711' },
      },
    ]);
    const again = await said('evidence', 'erase', '--phone', phone, '--yes', ...why());
    expect(again).toMatchObject({ code: 1, text: expect.stringContaining('erased before') });
  });

  it('leaves nothing in the records that opens with the remaining keys', async () => {
    const [row] = await database.query(
      `select (select count(*)::int from records.sealed_messages
                 where stream like '%:INV-1' and own_key is not null) as keys,
              (select count(*)::int from records.callback_inbox where stream like '%:INV-1') as inbox,
              (select count(*)::int from records.payout_phones where stream like '%:PAY-1') as phones`,
    );
    expect(row).toEqual({ keys: 0, inbox: 0, phones: 0 });
  });
});

describe('bad input', () => {
  it.each([
    [2, ['erase', '--phone', '12345678901234'], 'must be a number as 254712345678'],
    [2, ['erase'], '--phone'],
    [1, ['erase', '--phone', '254799999999', '--yes'], 'nothing of this number'],
    [1, ['show', 'NOBODY-1'], 'no collection or payout NOBODY-1'],
    [2, ['show', 'INV-1', '--mode', 'test'], 'must be live or demo'],
  ])('exits %i: %j', async (code, words, text) => {
    const before = (await opened()).length;
    const answer = await said('evidence', ...words, ...why());
    expect(answer).toEqual({ code, text: expect.stringContaining(text) });
    expect(answer.text).not.toMatch(/12345678901234|254799999999/);
    expect(await opened()).toHaveLength(before);
  });

  it('rejects showing or erasing without a reason', async () => {
    for (const words of [
      ['show', 'INV-1'],
      ['erase', '--phone', phone],
    ])
      expect(await said('evidence', ...words)).toMatchObject({
        code: 2,
        text: expect.stringContaining('--reason'),
      });
  });
});

it('changed bytes are reported by verify and when the evidence is shown', async () => {
  await database.query(
    `update records.sealed_messages set ciphertext = set_byte(ciphertext, 30, get_byte(ciphertext, 30) # 1)
       where stream like '%:NO-06' and kind = 'request'`,
  );
  await database.query(
    `delete from records.sealed_messages where stream like '%:NO-06' and kind = 'query_answer'`,
  );
  const { code, text } = await said('verify', '--evidence');
  expect(code).toBe(1);
  expect(text).toContain('sealed_messages.ciphertext');
  expect(text).toContain('sealed_messages.row');
  expect((await shown('NO-06'))['request']?.state).toBe('sealed');
});
