import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { delayMs, eventually, quiet, Receiver, Simulator, slowAnswerMs } from './harness.js';

let simulator: Simulator;
let receiver: Receiver;
let made = 0;

beforeAll(async () => {
  simulator = await Simulator.start();
  receiver = await Receiver.start();
});

afterAll(async () => {
  await simulator.dispose();
  receiver.close();
});

/** Pushes to a number, with its own callback URL and account reference. */
async function push(phone: string, amount = '250.00') {
  const token = (made += 1).toString(16).padStart(4, '0');
  const accountReference = `REF${token}`;
  const callbacks = () => receiver.of(token);
  const paidIn = async () =>
    (await simulator.statement())
      .filter((cells) => cells[12] === accountReference)
      .map((cells) => cells[5]);
  const answer = await simulator
    .push(phone, {
      CallBackURL: receiver.url(token),
      AccountReference: accountReference,
      Amount: amount,
    })
    .catch(() => undefined);
  return { answer, id: answer?.body['CheckoutRequestID'], callbacks, paidIn };
}

/** Waits until a later push has run its whole course, and so have those before it. */
async function settled(): Promise<void> {
  const { callbacks } = await push('254700000008');
  await eventually(() => callbacks().length === 2);
  await quiet();
}

describe('the outcome by phone number', () => {
  it.each([
    { phone: '254712345678', codes: [0], query: '0', paid: ['250.00'] },
    { phone: '254110345678', codes: [0], query: '0', paid: ['250.00'] },
    { phone: '254700000002', codes: [1032], query: '1032', paid: [] },
    { phone: '254700000003', codes: [1], query: '1', paid: [] },
    { phone: '254700000004', codes: [2001], query: '2001', paid: [] },
    { phone: '254700000005', codes: [1037], query: '1037', paid: [] },
    { phone: '254700000006', codes: [], query: '0', paid: ['250.00'] },
    { phone: '254700000007', codes: [0, 0], query: '0', paid: ['250.00'] },
    { phone: '254700000008', codes: [1037, 0], query: '0', paid: ['250.00'] },
    { phone: '254700000009', codes: [0], query: '0', paid: ['250.00'] },
    { phone: '254700000010', codes: [0], query: '0', paid: ['250.01'] },
    { phone: '254700000015', codes: [0], query: '0', paid: ['250.00'] },
  ])(
    '$phone: accepted, callbacks $codes, the query says $query',
    async ({ phone, codes, query, paid }) => {
      const { answer, id, callbacks, paidIn } = await push(phone);
      expect(answer).toMatchObject({ status: 200, body: { ResponseCode: '0' } });
      expect(id).toMatch(/^ws_CO_\d{24}$/);
      await eventually(() => callbacks().length >= codes.length);
      await settled();
      expect(callbacks().map(({ resultCode }) => resultCode)).toEqual(codes);
      expect(callbacks().every(({ checkoutRequestId }) => checkoutRequestId === id)).toBe(true);
      expect(await paidIn()).toEqual(paid);
      expect((await simulator.query(id)).body).toMatchObject({
        ResponseCode: '0',
        CheckoutRequestID: id,
        ResultCode: query,
      });
    },
  );

  it('254700000009: the callback was answered before the push is', async () => {
    receiver.slownessMs = 50;
    const { answer, callbacks } = await push('254700000009');
    receiver.slownessMs = 0;
    expect(answer?.status).toBe(200);
    expect(Date.now() - (callbacks()[0]?.atMs ?? Infinity)).toBeGreaterThanOrEqual(45);
  });

  it('254700000010: a query is held until the callback was answered, and returns no amount', async () => {
    const { id, callbacks } = await push('254700000010', '1');
    const query = await simulator.query(id);
    expect(callbacks()).toHaveLength(1);
    expect(callbacks()[0]?.items['Amount']).toBe(1.01);
    expect(query.body['ResultCode']).toBe('0');
    expect(JSON.stringify(query.body)).not.toContain('1.01');
  });

  it.each([
    { phone: '254700000011', status: 400, errorCode: '400.002.02' },
    { phone: '254700000014', status: 500, errorCode: '500.001.1001' },
  ])('$phone: refused with $errorCode; nothing was sent', async ({ phone, status, errorCode }) => {
    const before = await simulator.stats();
    const { answer, callbacks } = await push(phone);
    await quiet();
    expect(answer).toMatchObject({ status, body: { errorCode } });
    expect(answer?.body['requestId']).toMatch(/^\d+-\d+-1$/);
    expect(callbacks()).toEqual([]);
    expect(await simulator.stats()).toEqual(before);
  });

  it.each([
    { phone: '254700000012', codes: [0], paid: ['250.00'] },
    { phone: '254700000013', codes: [], paid: [] },
  ])('$phone: accepted, its answer lost; callbacks $codes', async ({ phone, codes, paid }) => {
    const before = await simulator.stats();
    const { answer, callbacks, paidIn } = await push(phone);
    await eventually(() => callbacks().length >= codes.length);
    await quiet();
    expect(answer).toBeUndefined();
    expect(callbacks().map(({ resultCode }) => resultCode)).toEqual(codes);
    expect(await paidIn()).toEqual(paid);
    expect((await simulator.stats())['pushes']).toBe(Number(before['pushes']) + 1);
  });

  it('254700000015: answers late, and pays SIMULATOR_DELAY after that', async () => {
    const startMs = Date.now();
    const { callbacks } = await push('254700000015');
    expect(Date.now() - startMs).toBeGreaterThanOrEqual(slowAnswerMs - 5);
    await eventually(() => callbacks().length === 1);
    expect((callbacks()[0]?.atMs ?? 0) - startMs).toBeGreaterThanOrEqual(
      slowAnswerMs + delayMs - 5,
    );
  });

  it('254700000016: no callback; two queries say "being processed", the third says paid', async () => {
    const { id, callbacks, paidIn } = await push('254700000016');
    await settled();
    expect((await simulator.query(id)).body['errorCode']).toBe('500.001.1001');
    expect((await simulator.query(id)).body['errorCode']).toBe('500.001.1001');
    expect((await simulator.query(id)).body['ResultCode']).toBe('0');
    expect(callbacks()).toEqual([]);
    expect(await paidIn()).toEqual(['250.00']);
  });

  it('254700000018: no callback; the first query says 1037, the next ones say paid', async () => {
    const { id, callbacks, paidIn } = await push('254700000018');
    await settled();
    expect((await simulator.query(id)).body['ResultCode']).toBe('1037');
    expect((await simulator.query(id)).body['ResultCode']).toBe('0');
    expect((await simulator.query(id)).body['ResultCode']).toBe('0');
    expect(callbacks()).toEqual([]);
    expect(await paidIn()).toEqual(['250.00']);
  });

  it('254700000019: a callback says 1037, then it pays; only queries know', async () => {
    const { id, callbacks, paidIn } = await push('254700000019');
    await eventually(async () => (await paidIn()).length === 1);
    await settled();
    expect(callbacks().map(({ resultCode }) => resultCode)).toEqual([1037]);
    expect((await simulator.query(id)).body['ResultCode']).toBe('0');
  });

  it('254700000020: the subscriber is locked (1001), by callback and query alike', async () => {
    const { id, callbacks, paidIn } = await push('254700000020');
    await eventually(() => callbacks().length === 1);
    expect(callbacks().map(({ resultCode }) => resultCode)).toEqual([1001]);
    expect((await simulator.query(id)).body['ResultCode']).toBe('1001');
    expect(await paidIn()).toEqual([]);
  });

  it('254700000021: pays; of all numbers, only this one appears in its CheckoutRequestID', async () => {
    const { id, callbacks, paidIn } = await push('254700000021');
    expect(id).toMatch(/^ws_CO_\d{18}700000021$/);
    await eventually(() => callbacks().length === 1);
    expect(callbacks().map(({ checkoutRequestId }) => checkoutRequestId)).toEqual([id]);
    expect(await paidIn()).toEqual(['250.00']);
    expect((await push('254700000999')).id).toMatch(/^ws_CO_\d{15}0\d{8}$/);
  });

  it('254700000017: two spike arrests, then accepted and paid; and so again', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let refused = 0; refused < 2; refused += 1)
        expect((await push('254700000017')).answer?.body['errorCode']).toBe('500.003.02');
      const { answer, callbacks } = await push('254700000017');
      expect(answer?.body['ResponseCode']).toBe('0');
      await eventually(() => callbacks().length === 1);
    }
  });
});

describe('before and between callbacks, with a patient customer', () => {
  /** Leaves time for a query before the payment, on a busy machine as well. */
  const patientMs = 4000;

  beforeAll(async () => {
    await simulator.end('SIGTERM');
    await simulator.restart({ SIMULATOR_DELAY: `${patientMs}ms` });
  });

  afterAll(async () => {
    await simulator.end('SIGTERM');
    await simulator.restart();
  });

  it('pays no earlier than SIMULATOR_DELAY; until then a query says "being processed"', async () => {
    const startMs = Date.now();
    const { id, callbacks } = await push('254712345678');
    expect(await simulator.query(id)).toMatchObject({
      status: 500,
      body: { errorCode: '500.001.1001', errorMessage: 'The transaction is being processed' },
    });
    await eventually(() => callbacks().length === 1);
    expect((callbacks()[0]?.atMs ?? 0) - startMs).toBeGreaterThanOrEqual(patientMs - 5);
  });

  it('254700000008: a query between the two callbacks says 1037', async () => {
    const { id, callbacks } = await push('254700000008');
    await eventually(() => callbacks().length === 1);
    expect((await simulator.query(id)).body['ResultCode']).toBe('1037');
    await eventually(() => callbacks().length === 2);
  });
});

describe('its output', () => {
  it('contains metadata in Daraja’s types for a success callback, and none for a failed one', async () => {
    const paid = await push('254712345678', '7');
    const cancelled = await push('254700000002');
    await eventually(() => paid.callbacks().length + cancelled.callbacks().length === 2);
    expect(paid.callbacks()[0]?.raw).toContain('{"Name":"Amount","Value":7.00}');
    expect(paid.callbacks()[0]?.items).toEqual({
      Amount: 7,
      MpesaReceiptNumber: expect.stringMatching(/^[A-Z0-9]{10}$/),
      TransactionDate: expect.any(Number),
      PhoneNumber: 254712345678,
    });
    expect(String(paid.callbacks()[0]?.items['TransactionDate'])).toMatch(/^20\d{12}$/);
    expect(cancelled.callbacks()[0]?.raw).not.toContain('CallbackMetadata');
  });

  it('logs no phone number and no callback URL, even if a callback is lost', async () => {
    await simulator.push('254712345678', { CallBackURL: 'http://127.0.0.1:9/rails/feed' });
    await eventually(() => simulator.output.includes('callback lost'));
    expect(simulator.output).not.toMatch(/254[17]\d{8}/);
    expect(simulator.output).not.toContain('rails/');
  });
});
