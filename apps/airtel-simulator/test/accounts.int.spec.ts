import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, Receiver, Simulator } from './harness.js';

let simulator: Simulator;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  simulator = await Simulator.start({
    SIMULATOR_AIRTEL_CALLBACK_URL: receiver.url,
    SIMULATOR_FLOAT: '37600',
  });
});

afterAll(async () => {
  await simulator.dispose();
  receiver.close();
});

const phone = '254733123456';

/** Pays, and returns the payment's id at Airtel. */
async function paid(by = phone, amount = 250) {
  const id = simulator.id();
  await simulator.push(by, { id, amount });
  await receiver.saying(id, 1);
  return { id, moneyId: receiver.of(id)[0]?.transaction.airtel_money_id ?? '' };
}

const balance = async (query = ''): Promise<string | undefined> =>
  (await simulator.call('GET', `/standard/v2/users/balance${query}`)).body.data?.balance;

const refundsOf = async (moneyId: string) =>
  (await simulator.statement()).filter((row) => row['Linked Transaction ID'] === moneyId);

describe('a refund', () => {
  it('gives the whole payment back, under an id of its own', async () => {
    const { id, moneyId } = await paid();
    const answer = await simulator.refund(moneyId);
    expect(answer).toMatchObject({ http: 200, code: 'DP00800001001' });
    const { status, airtel_money_id: own } = answer.body.data?.transaction ?? {};
    expect(status).toBe('SUCCESS');
    expect(await refundsOf(moneyId)).toMatchObject([
      { 'Transaction ID': own, 'Service Type': 'REFUND', Debit: '250.00' },
    ]);
    const enquiry = await simulator.enquire(id);
    expect(enquiry.body.data?.transaction?.['status']).toBe('TS');
    await simulator.portal({ refunded_status: 'TR' });
    expect((await simulator.enquire(id)).body.data?.transaction?.['status']).toBe('TR');
    await simulator.portal({ refunded_status: 'TS' });
  });

  it('is done once, however many ask at the same time', async () => {
    const { moneyId } = await paid();
    const racing = await Promise.all([1, 2, 3].map(() => simulator.refund(moneyId)));
    expect(racing.map(({ code }) => code).sort()).toEqual([
      'DP00800001001',
      'DP00800001008',
      'DP00800001008',
    ]);
    expect(await refundsOf(moneyId)).toHaveLength(1);
  });

  it('is refused if its payment is unknown or not given', async () => {
    const { id } = await paid();
    for (const unknown of [id, 'MP000000.0000.A00000'])
      expect((await simulator.refund(unknown)).code).toBe('DP00800001025');
    expect((await simulator.refund(undefined)).code).toBe('ROUTER003');
  });

  it('by v2 needs a signature', async () => {
    const { moneyId } = await paid();
    expect((await simulator.refund(moneyId, 'v2')).code).toBe('DP00800001026');
    const body = JSON.stringify({ transaction: { airtel_money_id: moneyId } });
    const signed = await simulator.signature(body);
    const answer = await simulator.call('POST', '/standard/v2/payments/refund', body, signed);
    expect(answer.code).toBe('DP00800001001');
  });

  it.each([
    { payer: '254733000201', http: 200, code: 'DP00800001008', done: 0 },
    { payer: '254733000203', http: 200, code: 'ROUTER117', done: 1 },
    { payer: '254733000204', http: 200, code: 'ROUTER117', done: 0 },
    { payer: '254733000205', http: 200, code: 'DP00800001008', done: 1 },
    { payer: '254733000206', http: 408, code: undefined, done: 1 },
    { payer: '254733000207', http: 200, code: 'DP00800001000', done: 1 },
  ])('$payer: HTTP $http $code, refunded $done times', async ({ payer, http, code, done }) => {
    const { moneyId } = await paid(payer);
    expect(await simulator.refund(moneyId)).toMatchObject({ http, code });
    expect(await refundsOf(moneyId)).toHaveLength(done);
  });

  it('254733000202: no answer, and refunded', async () => {
    const { moneyId } = await paid('254733000202');
    await expect(simulator.refund(moneyId)).rejects.toThrow();
    expect(await refundsOf(moneyId)).toHaveLength(1);
  });

  it('254733000204: the second request is done; 254733000201: none ever is', async () => {
    const [late, never] = [await paid('254733000204'), await paid('254733000201')];
    for (const { moneyId } of [late, never]) await simulator.refund(moneyId);
    expect((await simulator.refund(late.moneyId)).code).toBe('DP00800001001');
    expect((await simulator.refund(never.moneyId)).code).toBe('DP00800001008');
  });

  it('beyond the balance is refused with 007', async () => {
    const { moneyId } = await paid(phone, 1_000);
    const collected = (await balance('?type=COLL'))?.replaceAll(',', '') ?? '';
    await simulator.call('POST', '/_sweep', { amount: collected });
    expect((await simulator.refund(moneyId)).code).toBe('DP00800001007');
  });
});

describe('a balance', () => {
  it('has groups of three digits; each wallet has its own', async () => {
    const collected = Number((await balance('?type=COLL'))?.replaceAll(',', ''));
    await paid(phone, 12_345);
    expect(await balance('?type=COLL')).toBe(
      (collected + 12_345).toLocaleString('en', { minimumFractionDigits: 2 }),
    );
    for (const query of ['', '?type=DISB']) expect(await balance(query)).toBe('37,600.00');
    await simulator.disburse(phone, { amount: 600 });
    expect(await balance()).toBe('37,000.00');
    const v1 = await simulator.call('GET', '/standard/v1/users/balance');
    expect(v1.body.data).toEqual({
      balance: '37,000.00',
      currency: 'KES',
      account_status: 'Active',
    });
    expect((await simulator.call('GET', '/standard/v2/users/balance?type=X')).code).toBe(
      'ROUTER003',
    );
  });

  it('agrees with the statement, line by line', async () => {
    const rows = await simulator.statement();
    const minor = (text = ''): bigint => BigInt(text.replace('.', '') || '0');
    for (const isPayout of [false, true]) {
      const own = rows.filter((row) => (row['Service Type'] === 'B2C') === isPayout).reverse();
      let balanceMinor = isPayout ? 3_760_000n : 0n;
      for (const row of own) {
        balanceMinor += minor(row['Credit']) - minor(row['Debit']);
        expect(minor(row['Balance'])).toBe(balanceMinor);
      }
      expect(own.length).toBeGreaterThan(0);
    }
  });
});

describe('the statement', () => {
  it('has a line for each movement, in columns of our own', async () => {
    const { id, moneyId } = await paid();
    await simulator.disburse(phone, { id: 'OUT00001', amount: 1 });
    await simulator.disburse('254733000105', { id: 'OUT00002', amount: 1 });
    const { body } = await simulator.call('POST', '/_sweep', { amount: '0.50' });
    expect(body).toHaveProperty('airtel_money_id');
    const [columns] = (await simulator.statementText()).split('\r\n');
    expect(columns).toBe(
      'Transaction ID,External ID,Reference,Date,Service Type,Status,Other Party,Credit,Debit,Balance,Linked Transaction ID',
    );
    const rows = await simulator.statement();
    const of = (externalId: string) => rows.find((row) => row['External ID'] === externalId);
    expect(of(id)).toMatchObject({
      'Transaction ID': moneyId,
      Reference: 'Order 17',
      Date: expect.stringMatching(/^\d\d-\d\d-20\d\d \d\d:\d\d:\d\d$/) as unknown,
      'Service Type': 'MERCHPAY',
      Status: 'TS',
      'Other Party': '733***456',
      Credit: '250.00',
      Debit: '',
    });
    expect(of('OUT00001')).toMatchObject({ 'Service Type': 'B2C', Status: 'TS', Debit: '1.00' });
    expect(of('OUT00002')).toMatchObject({ Status: 'TF', Credit: '', Debit: '' });
    expect(rows.find((row) => row['Service Type'] === 'SETTLEMENT')).toMatchObject({
      Debit: '0.50',
    });
  });

  it('counts what was taken and moved', async () => {
    const before = await simulator.stats();
    const { moneyId } = await paid();
    await simulator.push('254733000020');
    await simulator.disburse(phone, { amount: 1 });
    await simulator.disburse('254733000112', { amount: 1 });
    await simulator.refund(moneyId);
    const { pushes = 0, paid: payments = 0, payouts = 0, paid_out = 0, refunded = 0 } = before;
    expect(await simulator.stats()).toMatchObject({
      pushes: pushes + 2,
      paid: payments + 1,
      payouts: payouts + 2,
      paid_out: paid_out + 1,
      refunded: refunded + 1,
    });
  });

  it.each(['0', '0.001', '999999999', 5])('sweeps no amount %p', async (amount) => {
    expect((await simulator.call('POST', '/_sweep', { amount })).http).toBe(400);
  });
});

describe('the list of payments', () => {
  const seconds = (ms: number): number => Math.floor(ms / 1_000);
  const list = (query: string): Promise<Answer> =>
    simulator.call('GET', `/merchant/v1/transactions${query}`);
  const around = (more = ''): string =>
    `?from=${seconds(Date.now()) - 3_600}&to=${seconds(Date.now()) + 3_600}&limit=500${more}`;
  const idsIn = ({ body }: Answer): readonly (string | undefined)[] =>
    (body.data?.transactions ?? []).map(({ transaction }) => transaction['id']);

  it('has each payment once, page by page, oldest first, and no payment that failed', async () => {
    const [first, second] = [await paid(), await paid('254733000017')];
    const failed = simulator.id();
    await simulator.push('254733000002', { id: failed });
    await receiver.saying(failed, 1);
    const all = idsIn(await list(around()));
    expect(all.filter((id) => id === first.id || id === second.id)).toEqual([first.id, second.id]);
    expect(all).not.toContain(failed);
    const pages = [
      ...idsIn(await list(around().replace('500', '2'))),
      ...idsIn(await list(around('&offset=2'))),
    ];
    expect(pages).toEqual(all);
    await simulator.portal({ list: 'all' });
    expect(idsIn(await list(around()))).toContain(failed);
    await simulator.portal({ list: 'settled' });
  });

  it('has the id at Airtel, the amount, the reference and the payer’s nine digits', async () => {
    const { id, moneyId } = await paid(phone, 1_250);
    const found = (await list(around())).body.data?.transactions?.find(
      ({ transaction }) => transaction['id'] === id,
    );
    expect(found).toMatchObject({
      payer: { msisdn: '733123456' },
      transaction: {
        airtel_money_id: moneyId,
        amount: '1250.00',
        created_at: expect.stringMatching(/^\d{10}$/) as unknown,
        reference_number: 'Order 17',
        status: 'TS',
      },
    });
  });

  it('takes its bounds in seconds or in milliseconds', async () => {
    await paid();
    const [from, to] = [Date.now() - 3_600_000, Date.now() + 3_600_000];
    const inMs = idsIn(await list(`?from=${from}&to=${to}&limit=500`));
    expect(inMs.length).toBeGreaterThan(0);
    expect(inMs).toEqual(idsIn(await list(around())));
    expect(idsIn(await list(`?from=1&to=2`))).toEqual([]);
    for (const query of ['', '?from=1', '?from=x&to=2', '?from=1&to=2&limit=-1'])
      expect((await list(query)).code).toBe('ROUTER003');
  });
});

describe('a customer', () => {
  it.each([
    { who: '733123456', barred: false, pin: true },
    { who: '733000009', barred: true, pin: true },
    { who: '733000301', barred: false, pin: false },
  ])('$who: barred $barred, PIN set $pin', async ({ who, barred, pin }) => {
    const { body, code } = await simulator.call('GET', `/standard/v1/users/${who}`);
    expect(code).toBe('DP02200000001');
    expect({ barred: body.data?.is_barred, pin: body.data?.is_pin_set }).toEqual({ barred, pin });
  });

  it.each(['733000302', '254733123456', 'x'])('%s is unknown', async (who) => {
    const { code } = await simulator.call('GET', `/standard/v1/users/${who}`);
    expect(code).toBe('DP02200000002');
  });
});
