import { constants } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#testing';
import { type Answer, Receiver, Simulator, slowAnswerMs } from './harness.js';

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

const statusOf = ({ body }: Answer): string | undefined => body.data?.transaction?.['status'];

/** Pays out to a number and waits until it has taken its course. An answer that is lost is undefined. */
async function course(phone: string) {
  const id = simulator.id();
  const answer = await simulator.disburse(phone, { id, amount: 10 }).catch(() => undefined);
  await simulator.settled(receiver);
  return { id, answer, said: receiver.of(id).map(({ transaction }) => transaction.status_code) };
}

const debited = async (id: string): Promise<readonly (string | undefined)[]> =>
  (await simulator.statement())
    .filter((row) => row['External ID'] === id && row['Status'] === 'TS')
    .map((row) => row['Debit']);

const none: string[] = [];
const paid = ['10.00'];

describe('the outcome by phone number', () => {
  it.each([
    ['254733123456', '001', 'TS', '', 'TS', '001', true],
    ['254733000101', '001', 'TS', 'TS', 'TS', '001', true],
    ['254733000102', '000', undefined, '', 'TS', '001', true],
    ['254733000103', '006', 'TIP', '', 'TS', '001', true],
    ['254733000104', '014', undefined, '', 'TS', '001', true],
    ['254733000105', '005', 'TF', '', 'TF', '005', false],
    ['254733000107', '017', undefined, '', 'TS', '001', true],
    ['254733000108', '011', undefined, '', 'TS', '001', true],
    ['254733000110', '000', undefined, '', 'TF', '005', false],
    ['254733000111', '001', 'TS', '', 'TS', '001', true],
    ['254733000112', '000', undefined, '', 'TA', '000', false],
    ['254733000113', '014', undefined, '', 'TF', '005', false],
    ['254733000117', '006', 'TIP', 'TS', 'TS', '001', true],
  ] as const)(
    '%s: answer %s %s, callbacks "%s", enquiry %s (%s), paid: %p',
    async (...[phone, code, at, said, status, last, isPaid]) => {
      const { id, answer, said: heard } = await course(phone);
      expect(answer).toMatchObject({ http: 200, code: `DP00900001${code}` });
      expect(answer && statusOf(answer)).toBe(at);
      expect(heard.join(' ')).toBe(said);
      const enquiry = await simulator.payout(id);
      expect(enquiry).toMatchObject({ http: 200, code: `DP00900001${last}` });
      expect(statusOf(enquiry)).toBe(status);
      expect(await debited(id)).toEqual(isPaid ? paid : none);
    },
  );

  it.each([
    { phone: '254733000115', http: 200, code: 'ROUTER117' },
    { phone: '254733000116', http: 408, code: undefined },
  ])('$phone: HTTP $http $code; paid anyway', async ({ phone, http, code }) => {
    const { id, answer } = await course(phone);
    expect(answer).toMatchObject({ http, code });
    expect(statusOf(await simulator.payout(id))).toBe('TS');
  });

  it('254733000106: no answer; the enquiry knows', async () => {
    const { id, answer } = await course('254733000106');
    expect(answer).toBeUndefined();
    expect(statusOf(await simulator.payout(id))).toBe('TS');
    expect(await debited(id)).toEqual(paid);
  });

  it('254733000109: no answer, and Airtel never knew of it', async () => {
    const { id, answer } = await course('254733000109');
    expect(answer).toBeUndefined();
    expect((await simulator.payout(id)).code).toBe('DP00900001015');
    expect(await debited(id)).toEqual([]);
  });

  it('254733000114: refused at once; nothing was taken', async () => {
    const { id, answer } = await course('254733000114');
    expect(answer?.code).toBe('DP00900001013');
    expect((await simulator.payout(id)).code).toBe('DP00900001015');
  });

  it('254733000118: no answer; two enquiries do not find it, the third does', async () => {
    const { id, answer } = await course('254733000118');
    expect(answer).toBeUndefined();
    for (let count = 0; count < 2; count += 1)
      expect((await simulator.payout(id)).code).toBe('DP00900001015');
    expect(statusOf(await simulator.payout(id))).toBe('TS');
  });

  it('254733000111: the answer waits for SIMULATOR_SLOW_ANSWER', async () => {
    const startMs = performance.now();
    await simulator.disburse('254733000111', { amount: 1 });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(slowAnswerMs - 5);
  });
});

describe('a payout', () => {
  const phone = '254733123456';

  it('is answered like Airtel’s own sample', async () => {
    const id = simulator.id();
    const { body } = await simulator.disburse(phone, { id, amount: '1.50', version: 'v1' });
    const reference = expect.stringMatching(/^CI\d{6}\.\d{4}\.[A-Z]\d{5}$/) as unknown;
    expect(body.data?.transaction).toEqual({
      reference_id: reference,
      airtel_money_id: expect.stringMatching(new RegExp(`^disbursement-.*-${id}$`)) as unknown,
      id,
      status: 'TS',
    });
    expect(body.status).toMatchObject({ code: '200', success: true, result_code: 'ESB000010' });
    expect(body.status?.message).toContain('You have sent KES 1.50 to 733123456');
  });

  it('with an id that was used before is a duplicate, and pays nothing again', async () => {
    const id = simulator.id();
    const racing = await Promise.all(
      [1, 2, 3].map(() => simulator.disburse(phone, { id, amount: 1 })),
    );
    expect(racing.map(({ code }) => code).sort()).toEqual([
      'DP00900001001',
      'DP00900001017',
      'DP00900001017',
    ]);
    expect(await debited(id)).toEqual(['1.00']);
  });

  it('has an id independent of those of collections', async () => {
    const id = simulator.id();
    await simulator.push(phone, { id });
    expect((await simulator.disburse(phone, { id, amount: 1 })).code).toBe('DP00900001001');
  });

  it.each([
    { more: { amount: 0 }, code: 'DP00900001004' },
    { more: { amount: 250_001 }, code: 'DP00900001003' },
    { more: { id: 'x-1' }, code: 'ESB000008' },
  ])('with $more is refused with $code', async ({ more, code }) => {
    expect((await simulator.disburse(phone, more)).code).toBe(code);
  });

  it('to a number that has not nine digits is refused', async () => {
    expect((await simulator.disburse('2540733123456')).code).toBe('DP00900001012');
  });

  it('beyond the wallet’s balance fails with 007, at once or later', async () => {
    const [now, later] = [simulator.id(), simulator.id()];
    const answer = await simulator.disburse(phone, { id: now, amount: 37_600 });
    expect(answer).toMatchObject({ code: 'DP00900001007' });
    expect(statusOf(answer)).toBe('TF');
    await simulator.disburse('254733000117', { id: later, amount: 37_600 });
    const enquiry = await eventually(
      () => simulator.payout(later),
      (found) => statusOf(found) === 'TF',
    );
    expect(enquiry.code).toBe('DP00900001007');
    await simulator.settled(receiver);
    expect(receiver.of(later)).toEqual([]);
    expect(await debited(later)).toEqual([]);
  });

  it('is found under v1 and v2, with the type or without', async () => {
    const id = simulator.id();
    await simulator.disburse(phone, { id, amount: 1 });
    for (const path of [`v2/disbursements/${id}?transactionType=B2C`, `v1/disbursements/${id}`])
      expect(statusOf(await simulator.call('GET', `/standard/${path}`))).toBe('TS');
    expect((await simulator.payout(id, '?transactionType=C2B')).code).toBe('ROUTER003');
    expect((await simulator.enquire(id)).code).toBe('DP00800001025');
  });
});

describe('a PIN', () => {
  const phone = '254733123456';
  const oaep = constants.RSA_PKCS1_OAEP_PADDING;

  it.each([
    { bits: '1024', padding: constants.RSA_PKCS1_PADDING, way: 'pkcs1' },
    { bits: '2048', padding: oaep, way: 'oaep' },
  ])(
    'with $way padding is accepted if the portal requires $way or any',
    async ({ bits, padding, way }) => {
      const pin = await simulator.sealed('1234', { bits, padding });
      for (const pin_padding of ['any', way]) {
        await simulator.portal({ pin_padding });
        expect((await simulator.disburse(phone, { pin, amount: 1 })).code).toBe('DP00900001001');
      }
      await simulator.portal({ pin_padding: way === 'oaep' ? 'pkcs1' : 'oaep' });
      expect((await simulator.disburse(phone, { pin, amount: 1 })).code).toBe('ROUTER116');
      await simulator.portal({ pin_padding: 'any' });
    },
  );

  it('is refused: of another wallet with ROUTER115, undecryptable with ROUTER116, missing with ROUTER003', async () => {
    const wrong = await simulator.sealed('4321');
    expect((await simulator.disburse(phone, { pin: wrong })).code).toBe('ROUTER115');
    for (const pin of ['1234', 'A'.repeat(172)])
      expect((await simulator.disburse(phone, { pin })).code).toBe('ROUTER116');
    expect((await simulator.disburse(phone, { pin: '' })).code).toBe('ROUTER003');
  });
});
