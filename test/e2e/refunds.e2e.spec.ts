import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayAt } from '#infra/runtime';
import {
  type Answer,
  eventually,
  type MerchantClient,
  type OwnServers,
  secondHolder,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { awayFromMidnight } from '../servers/away-from-midnight.js';

/** A log of its own, so that `verify` and the day's statement are about this merchant alone. */
let servers: OwnServers;
let service: Service;
let maker: MerchantClient;
let checker: MerchantClient;
let folder: string;
/** In the merchant's zone. */
let date: string;
beforeAll(async () => {
  await awayFromMidnight();
  date = dayAt(Date.now(), 'Africa/Nairobi');
  folder = await mkdtemp(join(tmpdir(), 'pesapost-refunds-'));
  servers = await startOwnServers();
  service = await startService({ ...servers.env, RAIL_QUERY_DELAYS: '2s,4s,8s' });
  maker = service.merchant;
  checker = await secondHolder(service);
  // The fee stays when a payment is refunded, so the wallet must have more than the payment brought.
  await collected(1_000_000);
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
});

const payer = '254712345678';
/** The ledger position of the newest collection that was read. */
let position = '0';

function post(client: MerchantClient, path: string, body: object, key: string = randomUUID()) {
  const headers = { 'idempotency-key': key };
  return client.send('POST', path, { body: JSON.stringify(body), headers });
}
async function collected(amountMinor = 10_000, phone = payer): Promise<string> {
  const reference = `IN-${randomUUID()}`;
  await maker.collect({ reference, amount_minor: amountMinor, phone });
  // Its own callback brings the receipt.
  await itemOf(reference, ({ status, receipt }) => status === 'completed' && receipt !== null);
  return reference;
}
const itemOf = async (
  reference: string,
  isReached: (item: Readonly<Record<string, unknown>>) => boolean,
) => {
  const { body, headers } = await eventually(
    () => maker.get(`/api/v4/collections/${reference}`),
    (answer) => isReached(answer.body),
  );
  position = headers.get('x-pp-ledger-position') ?? position;
  return body;
};
/** Asks for a refund, of everything that is left unless told otherwise. */
const refund = (
  collection: string,
  reference: string,
  fields: object = {},
  client: MerchantClient = maker,
): Promise<Answer> =>
  post(client, `/api/v4/collections/${collection}/refund`, { reference, ...fields });
const approve = (reference: string, client: MerchantClient = checker) =>
  post(client, `/api/v4/payouts/${reference}/approve`, {});
const refundIs = async (reference: string, status: string) => {
  const { body } = await eventually(
    () => maker.get(`/api/v4/payouts/${reference}`),
    (answer) => answer.body['status'] === status,
  );
  return body;
};
/** The account's figures once no more than `reserved` is reserved. */
async function balance(reserved = 0) {
  const { body } = await eventually(
    () =>
      maker.send('GET', `/api/v4/accounts/${maker.credentials.accountNo}/balance`, {
        headers: { 'x-pp-min-position': position },
      }),
    (answer) => answer.body['reserved_minor'] === reserved,
  );
  return Number(body['posted_minor']);
}

describe('a refund of a whole payment', () => {
  it('is reversed at the rail once two holders agree, and its collection says so', async () => {
    const collection = await collected();
    const before = await balance();
    const asked = await refund(collection, 'R-1');
    expect([asked.status, asked.body]).toEqual([
      202,
      {
        status: 'pending_approval',
        reference: 'R-1',
        rail_reference: null,
        amount_minor: 10_000,
        currency: 'KES',
      },
    ]);
    expect(await itemOf(collection, (item) => 'refund_status' in item)).toMatchObject({
      status: 'completed',
      refund_status: 'pending',
    });
    expect((await approve('R-1', maker)).body).toEqual({ error: 'same_holder' });
    expect((await approve('R-1')).status).toBe(202);
    const paid = await refundIs('R-1', 'completed');
    expect(paid).toMatchObject({ type: 'payout', refund_of: collection, fee_minor: 0 });
    expect(paid['receipt']).toMatch(/^[A-Z0-9]{10}$/);
    const item = await itemOf(collection, (one) => one['refund_status'] === 'refunded');
    expect(item).toMatchObject({ status: 'completed', refunded_minor: 10_000 });
    // The wallet pays the whole amount: the collection's fee stays.
    expect(await balance()).toBe(before - 10_000);
    const whose = ['--merchant', maker.credentials.merchantId, '--mode', 'demo'];
    const shown = await service.runCommand(['show', 'R-1', '--type', 'payout', ...whose]);
    expect(shown.text).toContain(`refund of       ${collection}`);
    expect(shown.text).toContain(`refund={"reference":"${collection}","reverses":"`);
    const ofCollection = await service.runCommand(['show', collection, ...whose]);
    expect(ofCollection.text).toMatch(/refunded +KES 100\.00/);
    const statement = await (await fetch(`${service.simulatorUrl}/_statement.csv`)).text();
    const line = statement.split('\n').find((row) => row.startsWith(String(paid['receipt'])));
    expect(line).toContain(String(item['receipt']));
  });

  it('is returned with its state if it is requested again, and another refund has nothing left', async () => {
    const collection = await collected();
    const key = randomUUID();
    const path = `/api/v4/collections/${collection}/refund`;
    await post(maker, path, { reference: 'R-2' }, key);
    const replayed = await post(maker, path, { reference: 'R-2' }, key);
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    const again = await refund(collection, 'R-2', { amount_minor: 5000 });
    expect([again.status, again.headers.get('x-pp-differs')]).toEqual([202, 'amount_minor']);
    const other = await refund(collection, 'R-2-b');
    expect([other.status, other.body]).toEqual([409, { error: 'not_refundable' }]);
    const cancelled = await post(maker, '/api/v4/payouts/R-2/cancel', {});
    expect(cancelled.body).toMatchObject({ status: 'rejected' });
    // The claim is given back with the money.
    await itemOf(collection, (item) => !('refund_status' in item));
    expect((await refund(collection, 'R-2-c')).status).toBe(202);
    await post(maker, '/api/v4/payouts/R-2-c/cancel', {});
  });

  it('is requested by several callers at once, and only one of them gets the money', async () => {
    const collection = await collected();
    const asked = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) => refund(collection, `R-3${name}`)),
    );
    const outcomes = asked.map(({ status, body }) =>
      status === 202 ? body['status'] : body['error'],
    );
    expect(outcomes.filter((outcome) => outcome === 'pending_approval')).toHaveLength(1);
    for (const outcome of outcomes)
      expect(['pending_approval', 'rejected', 'not_refundable']).toContain(outcome);
    const winner = `R-3${'ABCD'.charAt(outcomes.indexOf('pending_approval'))}`;
    await post(maker, `/api/v4/payouts/${winner}/cancel`, {});
    await balance();
  });
});

describe('a refund of a part', () => {
  it('is sent to the number that paid, and the rest can be refunded later', async () => {
    const collection = await collected();
    const part = await refund(collection, 'R-4', { amount_minor: 4000, phone: payer });
    expect(part.body).toMatchObject({ status: 'pending_approval', amount_minor: 4000 });
    await approve('R-4');
    await refundIs('R-4', 'completed');
    const item = await itemOf(collection, (one) => one['refund_status'] === 'partial');
    expect(item).toMatchObject({ refunded_minor: 4000 });
    expect((await refund(collection, 'R-5', { phone: payer })).body).toMatchObject({
      amount_minor: 6000,
    });
    await approve('R-5');
    await itemOf(collection, (one) => one['refund_status'] === 'refunded');
  });

  it.each([
    ['is above the rest', { amount_minor: 10_001, phone: payer }, 'invalid_amount'],
    ['is zero', { amount_minor: 0, phone: payer }, 'invalid_amount'],
    ['names no number', { amount_minor: 4000 }, 'invalid_phone'],
    ['goes to another number', { amount_minor: 4000, phone: '254712345679' }, 'invalid_phone'],
    [
      'has the number in its reference',
      { phone: payer, reference: `R-${payer}` },
      'invalid_reference',
    ],
    [
      'has the number in its reference, but not in its body (REF-11)',
      { reference: `R-0${payer.slice(3)}` },
      'invalid_reference',
    ],
    ['has an unknown field', { amount: 4000 }, 'invalid_request'],
  ])('is rejected if it %s, and nothing is recorded', async (_title, fields, error) => {
    const collection = await collected();
    const answer = await refund(collection, `R-${randomUUID()}`, fields);
    expect([answer.status, answer.body]).toEqual([400, { error, detail: expect.any(String) }]);
    expect(await itemOf(collection, () => true)).not.toHaveProperty('refund_status');
  });
});

it('an unknown or unpaid collection is not refunded', async () => {
  expect((await refund('IN-none', 'R-6')).body).toEqual({ error: 'not_found' });
  const reference = `IN-${randomUUID()}`;
  await maker.collect({ reference, amount_minor: 10_000, phone: '254700000002' });
  await itemOf(reference, ({ status }) => status === 'failed');
  expect((await refund(reference, 'R-6')).body).toEqual({ error: 'not_refundable' });
});

it('the day closes against the rail’s statement to the cent', async () => {
  await balance();
  const file = join(folder, 'statement.csv');
  const statement = await fetch(`${service.simulatorUrl}/_statement.csv`);
  await writeFile(file, await statement.text());
  const { merchantId, accountNo } = maker.credentials;
  const { code, text } = await service.runCommand([
    ...['reconcile', '--merchant', merchantId, '--account', accountNo, '--date', date],
    ...['--statement', file, '--as', 'asha', '--json'],
  ]);
  expect({ code, text }).toMatchObject({ code: 0 });
});

describe('a rail that is asked for a reversal', () => {
  it.each([
    ['254700000111', 'refuses it at once', 'failed'],
    ['254700000112', 'declines it later', 'failed'],
    ['254700000113', 'loses its answer', 'completed'],
    ['254700000114', 'loses its result', 'completed'],
    ['254700000115', 'reports it twice', 'completed'],
  ])('%s: it %s, and the refund is %s', async (phone, _title, status) => {
    const collection = await collected(10_000, phone);
    const before = await balance();
    const reference = `R-${phone.slice(-3)}`;
    await refund(collection, reference);
    await approve(reference);
    await refundIs(reference, status);
    const isPaid = status === 'completed';
    await itemOf(collection, (item) => item['refund_status'] === (isPaid ? 'refunded' : undefined));
    expect(await balance()).toBe(isPaid ? before - 10_000 : before);
  });

  it('reports an earlier reversal: nothing is released, and people decide', async () => {
    const collection = await collected(10_000, '254700000117');
    await refund(collection, 'R-117');
    await approve('R-117');
    const { body } = await eventually(
      () => maker.get('/api/v4/payouts/R-117'),
      (answer) => answer.body['under_review'] === true,
    );
    expect(body).toMatchObject({ status: 'pending' });
    await balance(10_000);
    expect(await itemOf(collection, () => true)).toMatchObject({ refund_status: 'pending' });
  });

  it('reports nothing: the money stays reserved', async () => {
    const collection = await collected(10_000, '254700000116');
    await refund(collection, 'R-116');
    await approve('R-116');
    await refundIs('R-116', 'pending');
    await balance(20_000);
  });
});

it('the ledger and its views agree at the end', async () => {
  expect(await service.runCommand(['verify', '--json'])).toMatchObject({
    code: 0,
    text: expect.stringContaining('"differences":0,'),
  });
});
