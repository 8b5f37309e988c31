import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, quiet, Receiver, Simulator } from './harness.js';

let simulator: Simulator;
let receiver: Receiver;
beforeAll(async () => {
  simulator = await Simulator.start({ SIMULATOR_FLOAT: '100000' });
  receiver = await Receiver.start();
});
afterAll(async () => {
  receiver.close();
  await simulator.dispose();
});

/** Pays to a number, with a new id and its own result URL. */
async function pay(phone: string, more: Readonly<Record<string, unknown>> = {}) {
  const id = randomUUID();
  const token = randomUUID();
  const ResultURL = receiver.url(token);
  const answer = await simulator
    .pay(phone, { OriginatorConversationID: id, ResultURL, ...more })
    .catch(() => undefined);
  const results = () => receiver.results.filter(({ path }) => path === `/rails/${token}`);
  return { id, answer, results };
}

/** Waits until a later payment has run its whole course, and so have those before it. */
async function settled(): Promise<void> {
  const { results } = await pay('254700000105', { Amount: 1 });
  await eventually(() => results().length === 2);
  await quiet();
}

/** Returns the answer to a status query or to a query of the balance. */
async function ask(what: 'transactionstatus' | 'accountbalance', id?: string) {
  const token = randomUUID();
  const taken = await simulator.ask(what, receiver.url(token), {
    OriginalConversationID: id,
  });
  expect(taken.body['ResponseCode']).toBe('0');
  const answers = () => receiver.results.filter(({ path }) => path === `/rails/${token}`);
  await eventually(() => answers().length === 1);
  return answers()[0];
}

describe('a payment out', () => {
  it('is accepted, paid and reported with its parameters', async () => {
    const { id, answer, results } = await pay('254712345678', { Amount: '250.50' });
    expect(answer).toMatchObject({
      status: 200,
      body: { ResponseCode: '0', OriginatorConversationID: id },
    });
    await eventually(() => results().length === 1);
    expect(results()[0]).toMatchObject({
      code: 0,
      originatorConversationId: id,
      parameters: { TransactionAmount: 250.5 },
    });
  });

  it.each([
    { phone: '254700000102', codes: [8], status: 'Failed' },
    { phone: '254700000104', codes: [], status: 'Completed' },
    { phone: '254700000105', codes: [0, 0], status: 'Completed' },
    { phone: '254700000106', codes: [], status: 'Pending' },
    { phone: '254700000019', codes: [8], status: 'Completed' },
  ])('$phone: results $codes, the query says $status', async ({ phone, codes, status }) => {
    const { id, answer, results } = await pay(phone);
    expect(answer?.status).toBe(200);
    await settled();
    expect(results().map(({ code }) => code)).toEqual(codes);
    const told = await ask('transactionstatus', id);
    expect(told?.parameters).toMatchObject({
      OriginatorConversationID: id,
      TransactionStatus: status,
    });
  });

  it('254700000101: refused at once', async () => {
    const before = await simulator.stats();
    const { answer, results } = await pay('254700000101');
    expect(answer).toMatchObject({ status: 400, body: { errorCode: '400.002.02' } });
    await quiet();
    expect([results(), await simulator.stats()]).toEqual([[], before]);
  });

  it('254700000103: its answer is lost, the result comes', async () => {
    const { answer, results } = await pay('254700000103');
    expect(answer).toBeUndefined();
    await eventually(() => results().length === 1);
  });

  it('under a name that was used is refused, and is not paid again', async () => {
    const { id, results } = await pay('254712345678');
    await eventually(() => results().length === 1);
    const before = await simulator.stats();
    const again = await pay('254712345678', { OriginatorConversationID: id });
    expect(again.answer).toMatchObject({ status: 500, body: { errorCode: '500.002.1001' } });
    await quiet();
    expect([again.results(), await simulator.stats()]).toEqual([[], before]);
  });

  it('fails if the float does not cover it; the balance shows what is left', async () => {
    const { results } = await pay('254712345678', { Amount: '100000' });
    await eventually(() => results().length === 1);
    expect(results()[0]?.code).toBe(1);
    const told = await ask('accountbalance');
    expect(told?.parameters['AccountBalance']).toMatch(
      /&Utility Account\|KES\|9[89]\d{3}\.\d{2}\|/,
    );
  });

  it.each([
    ['InitiatorName', 'another', '500.001.1001'],
    ['PartyA', '600001', '500.001.1001'],
    ['PartyB', '12', '400.002.02'],
    ['CommandID', 'Gift', '400.002.02'],
  ])('with %s %s is refused', async (field, value, errorCode) => {
    const { answer } = await pay('254712345678', { [field]: value });
    expect(answer?.body['errorCode']).toBe(errorCode);
  });
});

it('a restarted simulator sends the results that it owes, and remembers what it paid', async () => {
  const { id, answer, results } = await pay('254712345678');
  expect(answer?.status).toBe(200);
  await simulator.end('SIGKILL');
  await simulator.restart({ SIMULATOR_FLOAT: '100000' });
  await eventually(() => results().length >= 1);
  await simulator.authenticate();
  const again = await pay('254712345678', { OriginatorConversationID: id });
  expect(again.answer?.body['errorCode']).toBe('500.002.1001');
  const { payouts, paid_out } = await simulator.stats();
  expect(Number(payouts)).toBeGreaterThan(Number(paid_out));
});
