import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, Receiver, Simulator } from './harness.js';

let simulator: Simulator;
let receiver: Receiver;

beforeEach(async () => {
  simulator = await Simulator.start();
  receiver = await Receiver.start();
});

afterEach(async () => {
  await simulator.dispose();
  receiver.close();
});

const register = (version = 'v2', more: object = {}) =>
  simulator.post(`/mpesa/c2b/${version}/registerurl`, {
    ShortCode: '174379',
    ResponseType: 'Completed',
    ConfirmationURL: receiver.url('confirmation'),
    ValidationURL: receiver.url('validation'),
    ...more,
  });
const pay = async (more: object = {}): Promise<Readonly<Record<string, string>>> =>
  (await simulator.post('/_c2b', { amount: '250.00', billReference: '100000001', ...more })).body;
const told = (path = 'confirmation') => receiver.noticesAt(path);

describe('a registration of addresses', () => {
  it('is accepted once, and again after the addresses were deleted', async () => {
    expect(await register()).toMatchObject({
      status: 200,
      body: { ResponseCode: '0', OriginatorCoversationID: expect.any(String) },
    });
    expect(await register()).toMatchObject({
      status: 500,
      body: { errorCode: '500.003.1001', errorMessage: 'Urls are already registered' },
    });
    await simulator.remove('/_c2b/urls');
    expect(await register()).toMatchObject({ status: 200 });
  });

  it.each([
    ['ResponseType', { ResponseType: 'completed' }],
    ['ConfirmationURL', { ConfirmationURL: 'https://pay.example/mpesa' }],
    ['ValidationURL', { ValidationURL: 'https://pay.example/Query' }],
  ])('with a bad %s is refused', async (name, more) => {
    expect(await register('v2', more)).toMatchObject({
      status: 400,
      body: { errorCode: '400.002.02', errorMessage: `Bad Request - Invalid ${name}` },
    });
  });

  it('is refused for another short code', async () => {
    expect(await register('v2', { ShortCode: '600000' })).toMatchObject({ status: 500 });
  });
});

describe('a payment without a push', () => {
  it('has a notice with the masked number, and is on the statement and in the list', async () => {
    await register();
    const { TransID: receipt } = await pay();
    await eventually(() => told().length === 1);
    expect(told()[0]).toMatchObject({
      TransactionType: 'Pay Bill',
      TransID: receipt,
      TransTime: expect.stringMatching(/^\d{14}$/),
      TransAmount: '250.00',
      BusinessShortCode: '174379',
      BillRefNumber: '100000001',
      OrgAccountBalance: '250.00',
      MSISDN: '2547 ***** 678',
    });
    const [row] = await simulator.statement();
    expect(row?.[0]).toBe(receipt);
    expect(row?.at(-1)).toBe('100000001');
    expect(await simulator.stats()).toMatchObject({ pushes: 0, paid: 1 });
  });

  it('has a notice of v1 with the number’s hash', async () => {
    await register('v1');
    await pay();
    await eventually(() => told().length === 1);
    expect(told()[0]).toMatchObject({ MSISDN: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('has no or two notices as requested; a repeat under its receipt is not paid again', async () => {
    await register();
    await pay({ tell: 0 });
    const { TransID: receipt } = await pay({ tell: 2 });
    await eventually(() => told().length === 2);
    await pay({ receipt });
    await eventually(() => told().length === 3);
    expect(await simulator.stats()).toMatchObject({ paid: 2 });
  });

  it('to a till names no account', async () => {
    await register();
    await pay({ type: 'Customer Merchant Payment' });
    await eventually(() => told().length === 1);
    expect(told()[0]).toMatchObject({
      TransactionType: 'Customer Merchant Payment',
      BillRefNumber: '',
    });
  });

  it('and its addresses survive a restart', async () => {
    await register();
    await pay();
    await eventually(() => told().length === 1);
    const before = await simulator.statementText();
    await simulator.end('SIGKILL');
    await simulator.restart();
    expect(await simulator.statementText()).toBe(before);
    await pay();
    await eventually(() => told().length === 2);
  });

  it.each([
    ['phone', { phone: '0712345678' }],
    ['amount', { amount: '0' }],
    ['billReference', { billReference: 'X'.repeat(21) }],
    ['type', { type: 'Withdrawal' }],
    ['tell', { tell: 6 }],
  ])('with a bad %s is refused', async (name, more) => {
    expect(await simulator.post('/_c2b', { amount: '1', ...more })).toMatchObject({
      status: 400,
      body: { errorMessage: `Bad Request - Invalid ${name}` },
    });
  });
});

describe('a validation', () => {
  it.each([
    ['accepts', { ResultCode: 0 }, undefined],
    ['accepts by a text', { ResultCode: '0' }, undefined],
    ['refuses', { ResultCode: 'C2B00012' }, 'C2B00012'],
  ])('%s', async (_, answer, rejected) => {
    await register();
    receiver.answer = JSON.stringify(answer);
    expect((await pay({ validate: true }))['rejected']).toBe(rejected);
    expect(told('validation')[0]).toMatchObject({ OrgAccountBalance: '' });
    expect((await simulator.stats())['paid']).toBe(rejected === undefined ? 1 : 0);
  });

  it.each([
    ['Completed', undefined],
    ['Cancelled', 'no_answer'],
  ])('without an answer ends as %s says', async (ResponseType, rejected) => {
    await register('v2', { ResponseType, ValidationURL: 'http://127.0.0.1:9/rails/00' });
    expect((await pay({ validate: true }))['rejected']).toBe(rejected);
  });
});

describe('a paid push that is also reported as C2B', () => {
  it.each([
    [true, ['confirmation', 'push']],
    [false, ['push', 'confirmation']],
  ])('with first set to %s, is reported in the order %j', async (first, order) => {
    await register();
    await simulator.put('/_c2b/echo', { echo: true, first });
    await simulator.push('254712345678', { CallBackURL: receiver.url('push') });
    await eventually(() => receiver.paths.length === 2);
    expect(receiver.paths).toEqual(order);
    expect(told()[0]).toMatchObject({ BillRefNumber: 'PP0000000001' });
  });
});
