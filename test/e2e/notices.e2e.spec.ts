import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  eventually,
  type OwnServers,
  pesapost,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { awayFromMidnight } from '../servers/away-from-midnight.js';

/** A service to which the rail reports payments without a push. */
let service: Service;
let servers: OwnServers;
let accountNo: string;

beforeAll(async () => {
  await awayFromMidnight();
  servers = await startOwnServers();
  service = await startService({ ...servers.env, RAIL_QUERY_DELAYS: '1m,2m,4m' });
  ({ accountNo } = service.merchant.credentials);
  // Money that names no account waits in the list of this one.
  const worker = { RAIL_MPESA_DEMO_C2B_ACCOUNT: accountNo };
  await service.kill('worker');
  await service.startReplica('worker', worker);
}, 120_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

const why = ['--reason', 'pay bill payments', '--as', 'spec'];
const register = (...words: readonly string[]) =>
  service.runCommand(['rail', 'notices', 'register', '--mode', 'demo', ...why, ...words]);

interface Payment {
  readonly amount?: string;
  readonly billReference?: string;
  readonly tell?: number;
  readonly type?: string;
  /** Another short code, which the notice names. */
  readonly shortCode?: string;
}

/** Pays the pay bill as a customer does. @returns the receipt */
async function pay(payment: Payment): Promise<string> {
  const answer = await fetch(`${service.simulatorUrl}/_c2b`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '250.00', billReference: accountNo, ...payment }),
  });
  const { TransID } = (await answer.json()) as { TransID: string };
  return TransID;
}

const itemOf = async (reference: string): Promise<Record<string, unknown>> =>
  (await service.merchant.get(`/api/v4/collections/${encodeURIComponent(reference)}`)).body;

const settled = (reference: string) =>
  eventually(
    () => itemOf(reference),
    ({ status }) => status === 'completed',
    { withinMs: 60_000 },
  );

async function listed(query: string): Promise<readonly Record<string, unknown>[]> {
  const { body } = await service.merchant.get(`/api/v4/transactions?${query}`);
  return body['data'] as Record<string, unknown>[];
}

const echo = (body: object) =>
  fetch(`${service.simulatorUrl}/_c2b/echo`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('the registration of addresses', () => {
  it('is recorded once the rail has the addresses', async () => {
    expect(await register()).toMatchObject({ code: 0, text: expect.stringContaining('174379') });
    const { registrations } = (await pesapost(
      service.env,
      'rail',
      'notices',
      'show',
    )) as unknown as {
      registrations: readonly object[];
    };
    expect(registrations).toMatchObject([
      { mode: 'demo', short_code: '174379', when_silent: 'complete', by: 'spec' },
    ]);
  });

  it('is rejected a second time, as in production, and says what to do', async () => {
    expect(await register()).toMatchObject({
      code: 1,
      text: expect.stringContaining('M-Pesa has addresses for this short code already'),
    });
  });

  it('is not tried with an address that the rail rejects', async () => {
    const settings = { BASE_URL: 'https://pay.mpesa.example' };
    const words = ['rail', 'notices', 'register', '--mode', 'demo', ...why];
    expect(await service.runCommand(words, settings)).toMatchObject({
      code: 1,
      text: expect.stringContaining('BASE_URL contains a word that M-Pesa refuses'),
    });
  });

  it('keeps the master key that the addresses name', async () => {
    const { keys } = (await pesapost(service.env, 'keys', 'status')) as unknown as {
      keys: readonly object[];
    };
    expect(keys).toMatchObject([{ key_id: 'test', notices_of: ['demo'] }]);
  });
});

describe('a payment to the pay bill', () => {
  it('is posted to the account that the customer named, and listed as such', async () => {
    const receipt = await pay({ billReference: `${accountNo} for rent` });
    const item = await settled(`mpesa~${receipt}`);
    expect(item).toMatchObject({
      origin: 'c2b',
      receipt,
      amount_minor: 25_000,
      fee_minor: 375,
      account_no: accountNo,
      rail_reference: null,
    });
    const ofOrigin = await eventually(
      () => listed('origin=c2b'),
      (items) => items.some(({ reference }) => reference === `mpesa~${receipt}`),
    );
    expect(ofOrigin.every(({ origin }) => origin === 'c2b')).toBe(true);
    expect(await listed('origin=v4')).toEqual([]);
  });

  it('is in the webhooks’ feed like any other', async () => {
    const receipt = await pay({});
    await settled(`mpesa~${receipt}`);
    const found = await eventually(
      async () => (await service.merchant.get('/api/v4/events?limit=100')).body['data'],
      (events) => JSON.stringify(events).includes(receipt),
    );
    const events = found as readonly { type: string; data: { receipt: string } }[];
    expect(events.find(({ data }) => data.receipt === receipt)).toMatchObject({
      type: 'collection.completed',
      data: { origin: 'c2b', status: 'completed' },
    });
  });

  it('is posted once if it is reported three times', async () => {
    const receipt = await pay({ tell: 3 });
    await settled(`mpesa~${receipt}`);
    const { text } = await service.runCommand(['history', `mpesa~${receipt}`]);
    expect(text.match(/WalletPosted/g)).toHaveLength(1);
  });

  it('is recorded under the merchant’s own reference if the merchant expects it', async () => {
    const body = {
      account_no: accountNo,
      amount_minor: 25_000,
      currency: 'KES',
      channel: 'mpesa',
      reference: 'INV7',
    };
    const expectIt = () =>
      service.merchant.send('POST', '/api/v4/expected-payments', {
        body: JSON.stringify(body),
        headers: { 'idempotency-key': randomUUID() },
      });
    const expected = await expectIt();
    expect(expected).toMatchObject({
      status: 202,
      body: {
        status: 'pending',
        reference: 'INV7',
        pay_to: { pay_bill: '174379', account: `${accountNo} INV7` },
      },
    });
    const receipt = await pay({ billReference: `${accountNo} inv7` });
    expect(await settled('INV7')).toMatchObject({ receipt, origin: 'c2b' });
    expect((await expectIt()).body).toMatchObject({ status: 'completed' });
    // The next payment with that reference is the account's, under its own receipt.
    const second = await pay({ billReference: `${accountNo} INV7` });
    await settled(`mpesa~${second}`);
  });
});

describe('a payment that a merchant expects', () => {
  const terms = {
    account_no: '',
    amount_minor: 25_000,
    currency: 'KES',
    channel: 'mpesa',
    reference: 'INV8',
  };
  const send = (fields: object, at = service.merchant) =>
    at.send('POST', '/api/v4/expected-payments', {
      body: JSON.stringify({ ...terms, account_no: accountNo, ...fields }),
      headers: { 'idempotency-key': randomUUID() },
    });

  it.each([
    ['invalid_account', { account_no: '1' }],
    ['invalid_amount', { amount_minor: 0 }],
    ['invalid_currency', { currency: 'USD' }],
    ['invalid_channel', { channel: 'airtel' }],
    ['invalid_reference', { reference: 'inv8' }],
    ['invalid_reference', { reference: '01234567890' }],
    ['invalid_request', { phone: '254712345678' }],
  ])('is rejected as %s, and nothing is recorded', async (error, fields) => {
    expect(await send(fields)).toMatchObject({ status: 400, body: { error } });
    expect(await service.merchant.get('/api/v4/collections/INV8')).toMatchObject({ status: 404 });
  });

  it('needs a key', async () => {
    const body = JSON.stringify({ ...terms, account_no: accountNo });
    expect(
      await service.merchant.send('POST', '/api/v4/expected-payments', { body }),
    ).toMatchObject({ status: 400, body: { error: 'missing_idempotency_key' } });
  });

  it('is rejected if customers pay a till, which has no account', async () => {
    const { ports } = await service.startReplica('api', { RAIL_MPESA_DEMO_TILL: '832909' });
    const tills = service.merchant.at(`http://127.0.0.1:${String(ports.port)}`);
    expect(await send({}, tills)).toMatchObject({
      status: 400,
      body: { error: 'invalid_channel', detail: expect.stringContaining('till') },
    });
  });

  it('is not pushed by a collection of its reference, which reports what differs', async () => {
    await send({});
    const answer = await service.merchant.collect({ reference: 'INV8', amount_minor: 100 });
    expect(answer).toMatchObject({
      status: 202,
      body: { status: 'pending', rail_reference: null },
    });
    expect(answer.headers.get('x-pp-existing')).toBe('true');
    expect(answer.headers.get('x-pp-differs')).toBe('phone, amount_minor');
  });
});

describe('a push that the rail also reports by a notice', () => {
  it.each([
    ['after its callback', { echo: true }],
    ['before its callback', { echo: true, first: true }],
  ])('%s is one payment', async (_, how) => {
    await echo(how);
    const reference = randomUUID();
    await service.merchant.collect({ reference });
    const { receipt } = await settled(reference);
    await echo({ echo: false });
    const { text } = await service.runCommand(['find', String(receipt)]);
    expect(text).toContain(reference);
    expect(text).not.toContain('mpesa~');
  });
});

describe('a notice of the rail that names another short code', () => {
  it('is in status until an operator dismisses it, and history then has the operator (C2B-23)', async () => {
    const receipt = await pay({ shortCode: '999999' });
    const left = async () => {
      const { text } = await service.runCommand(['review', 'list', '--json']);
      const { callbacks } = JSON.parse(text) as {
        callbacks: readonly { id: string; payment: { receipt: string } | null }[];
      };
      return callbacks.filter(({ payment }) => payment?.receipt === receipt);
    };
    const [report] = await eventually(left, ({ length }) => length === 1);
    const alarm = async () => (await service.runCommand(['status'])).text;
    expect(await eventually(alarm, (text) => text.includes('review list'))).toContain(
      '1 payments that only the rail reports',
    );
    const dismiss = ['review', 'dismiss', report?.id ?? '', ...why];
    expect(await service.runCommand(dismiss)).toMatchObject({ code: 0 });
    expect(await left()).toEqual([]);
    expect(await alarm()).toContain('0 payments that only the rail reports');
    expect(await service.runCommand(dismiss)).toMatchObject({ code: 1 });
    const { text } = await service.runCommand(['events', '--stream', 'platform-rail-reports']);
    const events = text.split('\n').map((line) => JSON.parse(line) as object);
    expect(events).toMatchObject([
      {
        type: 'RailReportDismissed',
        data: { receipt, why: 'other_short_code', mode: 'demo', reportId: report?.id },
        metadata: { actor: { id: 'spec' }, reason: 'pay bill payments' },
      },
    ]);
  });
});

describe('a payment that names no account, and one whose notice was lost', () => {
  it('are in suspense and posted within minutes', async () => {
    const from = new Date(Date.now() - 5000).toISOString();
    const unnamed = await pay({ billReference: 'JOHN RENT' });
    const lost = await pay({ tell: 0 });
    const to = new Date(Date.now() + 1000).toISOString();
    await sleep(65_000);
    const window = ['reconcile', 'window', '--mode', 'demo', '--from', from, '--to', to];
    const settings = { RAIL_MPESA_DEMO_C2B_ACCOUNT: accountNo };
    expect(await service.runCommand(window, settings)).toMatchObject({
      code: 0,
      text: expect.stringContaining('missing in the ledger: 0'),
    });
    await settled(`mpesa~${lost}`);
    const held = await eventually(
      () => itemOf(`mpesa~${unnamed}`),
      ({ status }) => status === 'pending',
    );
    expect(held).toMatchObject({ under_review: true, origin: 'c2b', receipt: unnamed });
    const { text } = await service.runCommand(['review', 'list']);
    expect(text).toContain('account_not_named');
  }, 180_000);

  it('leave a ledger that verifies, with evidence for each event', async () => {
    const verified = await service.runCommand(['verify']);
    if (verified.code !== 0) throw new Error(verified.text);
    expect(await service.runCommand(['audit', 'check'])).toMatchObject({ code: 0 });
  });
});
