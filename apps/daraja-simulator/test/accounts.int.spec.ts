import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, Receiver, Simulator } from './harness.js';

let simulator: Simulator;
let receiver: Receiver;

beforeEach(async () => {
  simulator = await Simulator.start({ SIMULATOR_FLOAT: '1000' });
  receiver = await Receiver.start();
});

afterEach(async () => {
  await simulator.dispose();
  receiver.close();
});

const collect = async (amount: string): Promise<string> =>
  (await simulator.post('/_c2b', { amount })).body['TransID'] ?? '';
const sweep = (amount: unknown) => simulator.post('/_sweep', { amount });

/** Returns each account's available sum, as the rail answers it to either short code. */
async function balances(PartyA = '174379'): Promise<Readonly<Record<string, string>>> {
  const token = randomUUID();
  const taken = await simulator.ask('accountbalance', receiver.url(token), { PartyA });
  expect(taken.status).toBe(200);
  const answers = () => receiver.results.filter(({ path }) => path === `/rails/${token}`);
  await eventually(() => answers().length === 1);
  const accounts = String(answers()[0]?.parameters['AccountBalance']).split('&');
  return Object.fromEntries(
    accounts.map((account) => {
      const [name = '', currency, current, available = ''] = account.split('|');
      expect([currency, current]).toEqual(['KES', available]);
      return [name, available];
    }),
  );
}

type Row = Readonly<Record<string, unknown>>;

const hourMs = 3_600_000;

/** Returns a page of the list that Pull Transactions answers for the window; without one, for the last hour. */
async function pulled(
  offset = 0,
  { fromMs = Date.now() - hourMs, untilMs = Date.now() + hourMs } = {},
): Promise<readonly Row[]> {
  const nairobi = (ms: number) =>
    new Date(ms + 3 * hourMs).toISOString().slice(0, 19).replace('T', ' ');
  const answer = await simulator.post('/pulltransactions/v1/query', {
    ShortCode: '174379',
    StartDate: nairobi(fromMs),
    EndDate: nairobi(untilMs),
    OffSetValue: String(offset),
  });
  const { Response } = answer.body as unknown as { Response?: Row[][] };
  return (Response ?? []).flat();
}

describe('a settlement sweep', () => {
  it('is on the statement as money that went out, and in the list of Pull Transactions', async () => {
    const paid = await collect('250.00');
    const answer = await sweep('200.50');
    expect(answer).toMatchObject({
      status: 200,
      body: { TransTime: expect.stringMatching(/^\d{14}$/) },
    });
    const receipt = answer.body['TransID'] ?? '';
    const row = (await simulator.statement()).find(([first]) => first === receipt);
    expect(row?.slice(3, 10)).toEqual([
      'Merchant Account to Organization Settlement Account',
      'Completed',
      '',
      '-200.50',
      '49.50',
      'true',
      'Merchant to Organization Settlement',
    ]);
    const list = await pulled();
    expect(list.map(({ transactionId }) => transactionId).sort()).toEqual([paid, receipt].sort());
    expect(list.find(({ transactionId }) => transactionId === receipt)).toMatchObject({
      transactiontype: 'merchant-to-organization-settlement',
      amount: '200.50',
    });
  });

  it.each(['0', '-1', '1.001', '250.01', 'all', '', 250, null])(
    'with the amount %p is refused and moves nothing',
    async (amount) => {
      await collect('250.00');
      const before = await simulator.statementText();
      expect(await sweep(amount)).toMatchObject({
        status: 400,
        body: { errorCode: '400.002.02', errorMessage: 'Bad Request - Invalid amount' },
      });
      expect(await simulator.statementText()).toBe(before);
    },
  );

  it('can move all that was collected only once', async () => {
    await collect('250.00');
    expect((await sweep('250')).status).toBe(200);
    expect((await sweep('0.01')).status).toBe(400);
  });

  it('survives a restart', async () => {
    await collect('250.00');
    await sweep('100');
    const before = await simulator.statementText();
    await simulator.end('SIGKILL');
    await simulator.restart();
    expect(await simulator.statementText()).toBe(before);
    expect((await sweep('150.01')).status).toBe(400);
  });

  it('lowers the balance that the next notice of a payment reports', async () => {
    await simulator.post('/mpesa/c2b/v2/registerurl', {
      ShortCode: '174379',
      ResponseType: 'Completed',
      ConfirmationURL: receiver.url('confirmation'),
      ValidationURL: receiver.url('validation'),
    });
    await collect('250.00');
    await sweep('200');
    await collect('10.00');
    await eventually(() => receiver.notices.length === 2);
    expect(receiver.notices[1]?.body['OrgAccountBalance']).toBe('60.00');
  });
});

describe('a long list of Pull Transactions', () => {
  it('is read whole by its pages, oldest first, from any offset and for any window', async () => {
    const receipts: string[] = [];
    for (let group = 0; group < 3; group += 1) {
      receipts.push(...(await Promise.all(Array.from({ length: 80 }, () => collect('10.00')))));
      receipts.push(String((await sweep('5.00')).body['TransID']));
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    }
    const all = [...(await pulled()), ...(await pulled(100)), ...(await pulled(200))];
    expect(all.map(({ transactionId }) => transactionId).sort()).toEqual(receipts.sort());
    const times = all.map(({ trxDate }) => String(trxDate));
    expect(times).toEqual(times.toSorted());
    for (const offset of [1, 79, 81, 82, 150, 242, 243])
      expect(await pulled(offset)).toEqual(all.slice(offset, offset + 100));

    const lastSecond = Date.parse(times.at(-1) ?? '');
    const before = all.filter(({ trxDate }) => Date.parse(String(trxDate)) < lastSecond);
    expect(await pulled(100, { untilMs: lastSecond })).toEqual(before.slice(100, 200));
    expect(await pulled(0, { fromMs: lastSecond })).toEqual(all.slice(before.length));
  });
});

describe('a reversed payment', () => {
  it('stays in the list of Pull Transactions, which has no reversals', async () => {
    const receipt = await collect('250.00');
    await simulator.reverse(receipt);
    await eventually(async () => Number((await simulator.stats())['reversed']) === 1);
    expect((await pulled()).map(({ transactionId }) => transactionId)).toEqual([receipt]);
  });
});

describe('the balance', () => {
  it('has every account for each short code, and agrees with the statement', async () => {
    await collect('250.00');
    await sweep('50');
    await simulator.reverse(await collect('30.00'), { Amount: '30' });
    await eventually(async () => Number((await simulator.stats())['reversed']) === 1);
    await simulator.pay('254712345678', { Amount: 100 });
    await eventually(async () => Number((await simulator.stats())['paid_out']) === 1);
    const found = await balances();
    expect(found).toEqual({
      'Working Account': '200.00',
      'Float Account': '0.00',
      'Utility Account': '0.00',
      'Charges Paid Account': '0.00',
      'Organization Settlement Account': '0.00',
    });
    const ofPayouts = await balances('600000');
    expect(ofPayouts).toEqual({
      ...found,
      'Working Account': '0.00',
      'Utility Account': '900.00',
    });
    const rows = await simulator.statement();
    const sum = (column: number) =>
      rows.reduce((total, row) => total + Number(row[column] ?? 0), 0);
    const float = 1000;
    expect(float + sum(5) + sum(6)).toBe(
      Number(found['Working Account']) + Number(ofPayouts['Utility Account']),
    );
  });

  it('is refused for another short code', async () => {
    expect(
      await simulator.ask('accountbalance', receiver.url('aa'), { PartyA: '600001' }),
    ).toMatchObject({ status: 500, body: { errorMessage: 'Merchant does not exist' } });
  });
});
