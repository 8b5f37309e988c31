import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, callbackKey, Receiver, Simulator, slowAnswerMs } from './harness.js';

let simulator: Simulator;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  simulator = await Simulator.start({ SIMULATOR_AIRTEL_CALLBACK_URL: receiver.url });
});

afterAll(async () => {
  await simulator.dispose();
  receiver.close();
});

/** Pushes to a number and waits until it has taken its course. An answer that is lost is undefined. */
async function course(phone: string) {
  const id = simulator.id();
  const answer = await simulator.push(phone, { id }).catch(() => undefined);
  await simulator.settled(receiver);
  return { id, answer, said: receiver.of(id).map(({ transaction }) => transaction.status_code) };
}

/** The amounts of the transaction on the statement. */
const credited = async (id: string): Promise<readonly (string | undefined)[]> =>
  (await simulator.statement())
    .filter((row) => row['External ID'] === id)
    .map((row) => row['Credit']);

const statusOf = ({ body }: Answer): string | undefined => body.data?.transaction?.['status'];

const sent = 'DP00800001006';
const paid = ['250.00'];
const none: string[] = [];

describe('each number brings about', () => {
  it.each([
    ['254733123456', sent, 'TS', 'TS', '001', true],
    ['254101234567', sent, 'TS', 'TS', '001', true],
    ['254733000001', sent, 'TS', 'TS', '001', true],
    ['254733000002', sent, 'TF', 'TF', '002', false],
    ['254733000003', sent, 'TF', 'TF', '007', false],
    ['254733000004', sent, 'TF', 'TF', '008', false],
    ['254733000005', sent, 'TF', 'TF', '005', false],
    ['254733000006', sent, 'TF', 'TF', '024', false],
    ['254733000007', sent, 'TF', 'TF', '009', false],
    ['254733000008', sent, '', 'TE', '029', false],
    ['254733000012', sent, '', 'TS', '001', true],
    ['254733000013', sent, 'TS TS', 'TS', '001', true],
    ['254733000014', sent, 'TS', 'TF', '007', false],
    ['254733000015', sent, 'TF', 'TS', '001', true],
    ['254733000016', sent, 'TS', 'TS', '001', true],
    ['254733000017', sent, 'TF TS', 'TS', '001', true],
    ['254733000018', sent, 'TIP TS', 'TS', '001', true],
    ['254733000019', 'DP00800001000', 'TS', 'TS', '001', true],
    ['254733000020', sent, '', 'TA', '000', false],
    ['254733000021', sent, 'TS', 'TS', '001', true],
    ['254733000025', sent, 'TS', 'TS', '001', true],
    ['254733000026', 'ROUTER117', 'TS', 'TS', '001', true],
    ['254733000027', 'ESB000001', 'TS', 'TS', '001', true],
    ['254733000028', 'ESB000004', 'TF', 'TF', '008', false],
    ['254733000029', 'ESB000008', 'TS', 'TS', '001', true],
    ['254733000031', '0000900', 'TS', 'TS', '001', true],
    ['254733000037', sent, 'TS', 'TS', '001', true],
    ['254733000038', sent, 'TF TS', 'TS', '001', true],
    ['254733000039', 'ESB000041', 'TS', 'TS', '001', true],
    ['254733000040', sent, 'TF', 'TS', '001', true],
    ['254733000042', sent, '', 'TS', '001', true],
  ] as const)(
    '%s: answer %s, callbacks "%s", enquiry %s (%s), paid: %p',
    async (...[phone, code, said, status, last, isPaid]) => {
      const { id, answer, said: heard } = await course(phone);
      expect(answer).toMatchObject({ http: 200, code });
      expect(answer?.body.status?.success).toBe(code === sent);
      expect(heard.join(' ')).toBe(said);
      const enquiry = await simulator.enquire(id);
      expect(enquiry).toMatchObject({ http: 200, code: `DP00800001${last}` });
      const { status: found, airtel_money_id: moneyId } = enquiry.body.data?.transaction ?? {};
      expect({ found, hasMoneyId: moneyId !== undefined }).toEqual({
        found: status,
        hasMoneyId: isPaid,
      });
      expect(await credited(id)).toEqual(isPaid ? paid : none);
    },
  );

  it.each([
    { phone: '254733000032', http: 408, status: 'TS' },
    { phone: '254733000034', http: 503, status: 'TS' },
  ])('$phone: HTTP $http without JSON; paid all the same', async ({ phone, http, status }) => {
    const { id, answer, said } = await course(phone);
    expect(answer).toMatchObject({ http, body: {} });
    expect(said).toEqual(['TS']);
    expect(statusOf(await simulator.enquire(id))).toBe(status);
  });

  it.each([
    { phone: '254733000009', http: 200, code: 'DP00800001010' },
    { phone: '254733000011', http: 400, code: 'DP00800001005' },
    { phone: '254733000033', http: 408, code: undefined },
  ])('$phone: HTTP $http, $code; nothing was taken', async ({ phone, http, code }) => {
    const before = await simulator.stats();
    const id = simulator.id();
    const answer = await simulator.push(phone, { id });
    expect(answer).toMatchObject({ http, code });
    expect(answer.body.data).toBeUndefined();
    expect(await simulator.enquire(id)).toMatchObject({ http: 200, code: 'DP00800001025' });
    expect(await simulator.stats()).toEqual(before);
  });

  it('254733000010: refused in the answer, and the enquiry knows of it', async () => {
    const { id, answer, said } = await course('254733000010');
    expect(answer).toMatchObject({ http: 200, code: 'DP00800001003' });
    expect(answer?.body.status?.success).toBe(false);
    expect(said).toEqual([]);
    expect(statusOf(await simulator.enquire(id))).toBe('TF');
  });

  it.each([
    { phone: '254733000022', said: ['TS'], code: 'DP00800001001', credit: paid },
    { phone: '254733000023', said: none, code: 'DP00800001001', credit: paid },
    { phone: '254733000024', said: none, code: 'DP00800001025', credit: none },
    { phone: '254733000041', said: none, code: 'DP00800001006', credit: none },
  ])('$phone: no answer; callbacks $said, enquiry $code', async ({ phone, said, code, credit }) => {
    const { id, answer, said: heard } = await course(phone);
    expect(answer).toBeUndefined();
    expect(heard).toEqual(said);
    expect((await simulator.enquire(id)).code).toBe(code);
    expect(await credited(id)).toEqual(credit);
  });

  it.each([
    { phone: '254733000030', first: 'ESB000014' },
    { phone: '254733000035', first: 'DP00800001025' },
  ])('$phone: two enquiries say $first, then TS', async ({ phone, first }) => {
    const { id } = await course(phone);
    for (let count = 0; count < 2; count += 1)
      expect((await simulator.enquire(id)).code).toBe(first);
    expect(statusOf(await simulator.enquire(id))).toBe('TS');
  });

  it('254733000036: HTTP 429 twice, then taken; and so again', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let refused = 0; refused < 2; refused += 1)
        expect((await simulator.push('254733000036')).http).toBe(429);
      expect((await simulator.push('254733000036')).code).toBe(sent);
    }
  });

  it('254733000016: the callback was answered before the push is', async () => {
    const id = simulator.id();
    receiver.slownessMs = 50;
    await simulator.push('254733000016', { id });
    const endMs = Date.now();
    receiver.slownessMs = 0;
    expect(endMs - (receiver.of(id)[0]?.atMs ?? Infinity)).toBeGreaterThanOrEqual(45);
  });

  it('254733000025: the answer waits for SIMULATOR_SLOW_ANSWER', async () => {
    const startMs = performance.now();
    await simulator.push('254733000025');
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(slowAnswerMs - 5);
  });

  it('254733000037: the hash is that of another key', async () => {
    const [good, forged] = [simulator.id(), simulator.id()];
    await simulator.push('254733000001', { id: good });
    await simulator.push('254733000037', { id: forged });
    for (const [id, isGood] of [
      [good, true],
      [forged, false],
    ] as const) {
      await receiver.saying(id, 1);
      const { raw = '', hash } = receiver.of(id)[0] ?? {};
      const covered = raw.slice('{"transaction":'.length, raw.lastIndexOf(',"hash"'));
      const computed = createHmac('sha256', callbackKey).update(covered).digest('base64');
      expect(computed === hash).toBe(isGood);
    }
  });
});

describe('with a patient customer', () => {
  /** Leaves time for an enquiry before the payment, on a busy machine as well. */
  const patientMs = 4000;

  beforeAll(async () => {
    await simulator.end('SIGTERM');
    await simulator.restart({ SIMULATOR_DELAY: `${patientMs}ms` });
  });

  afterAll(async () => {
    await simulator.end('SIGTERM');
    await simulator.restart();
  });

  it.each([
    { phone: '254733000001', status: 'TIP', code: sent },
    { phone: '254733000019', status: 'TA', code: 'DP00800001000' },
    { phone: '254733000021', status: 'TI', code: sent },
  ])('$phone: until it is paid, an enquiry says $status', async ({ phone, status, code }) => {
    const id = simulator.id();
    await simulator.push(phone, { id });
    const enquiry = await simulator.enquire(id);
    expect(enquiry.code).toBe(code);
    expect(statusOf(enquiry)).toBe(status);
  });

  it('pays no earlier than SIMULATOR_DELAY', async () => {
    const id = simulator.id();
    const startMs = Date.now();
    await simulator.push('254733000001', { id });
    await receiver.saying(id, 1);
    expect((receiver.of(id)[0]?.atMs ?? 0) - startMs).toBeGreaterThanOrEqual(patientMs - 5);
  });

  it.each([
    { phone: '254733000017', first: 'TF', status: 'TIP' },
    { phone: '254733000038', first: 'TF', status: 'TF' },
  ])(
    '$phone: after the callback $first, an enquiry says $status',
    async ({ phone, first, status }) => {
      const id = simulator.id();
      await simulator.push(phone, { id });
      expect(await receiver.saying(id, 1)).toEqual([first]);
      expect(statusOf(await simulator.enquire(id))).toBe(status);
    },
  );
});
