import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { delayMs, eventually, Receiver, Simulator } from './harness.js';

let simulator: Simulator;
let receiver: Receiver;
beforeAll(async () => {
  simulator = await Simulator.start();
  receiver = await Receiver.start();
});
afterAll(async () => {
  receiver.close();
  await simulator.dispose();
});

/** Sends a status query and returns its answer. */
async function ask(more: Readonly<Record<string, unknown>>) {
  const token = randomUUID();
  const taken = await simulator.ask('transactionstatus', receiver.url(token), more);
  expect(taken.body['ResponseCode']).toBe('0');
  return resultAt(token);
}

async function resultAt(token: string) {
  const results = () => receiver.results.filter(({ path }) => path === `/rails/${token}`);
  await eventually(() => results().length === 1);
  return results()[0];
}

async function collect(phone = '254712345678'): Promise<string> {
  const answer = await simulator.post('/_c2b', { amount: '250.00', phone, tell: 0 });
  return answer.body['TransID'] ?? '';
}

const completed = (receipt: string) => ({
  code: 0,
  transactionId: receipt,
  parameters: {
    ReceiptNo: receipt,
    TransactionStatus: 'Completed',
    Amount: 250,
    InitiatedTime: expect.any(Number),
    FinalisedTime: expect.any(Number),
  },
});

describe('a status query by the receipt alone', () => {
  it('finds a payment without a push, whichever short code asks', async () => {
    const receipt = await collect();
    for (const PartyA of ['174379', '600000'])
      expect(await ask({ PartyA, TransactionID: receipt })).toMatchObject(completed(receipt));
  });

  it('finds a paid push', async () => {
    const token = randomUUID();
    await simulator.push('254712345678', { CallBackURL: receiver.url(token) });
    await eventually(() => receiver.of(token).length === 1);
    const receipt = String(receiver.of(token)[0]?.items['MpesaReceiptNumber']);
    expect(await ask({ TransactionID: receipt })).toMatchObject({
      ...completed(receipt),
      parameters: expect.objectContaining({
        DebitPartyName: '254712345678 - TEST CUSTOMER',
        CreditPartyName: '174379 - Daraja simulator',
      }),
    });
  });

  it('finds a payout', async () => {
    const ResultURL = receiver.url('payout');
    await simulator.pay('254712345678', { OriginatorConversationID: randomUUID(), ResultURL });
    const { transactionId = '' } = (await resultAt('payout')) ?? {};
    expect(await ask({ TransactionID: transactionId })).toMatchObject(completed(transactionId));
  });

  it('finds a reversal, and one that was done in the portal', async () => {
    const ResultURL = receiver.url('reversal');
    await simulator.reverse(await collect(), { ResultURL });
    const { transactionId = '' } = (await resultAt('reversal')) ?? {};
    expect(await ask({ TransactionID: transactionId })).toMatchObject(completed(transactionId));
    const paid = await collect('254700000117');
    await simulator.reverse(paid);
    const line = (await simulator.statement()).find((cells) => cells[11] === paid);
    const byHand = line?.[0] ?? '';
    expect(await ask({ TransactionID: byHand })).toMatchObject(completed(byHand));
  });

  it('does not find an unknown receipt: 2032, after the delay', async () => {
    const startMs = Date.now();
    expect(await ask({ TransactionID: 'ZZZ0000000' })).toMatchObject({
      code: 2032,
      transactionId: '',
      parameters: {},
    });
    expect(Date.now() - startMs).toBeGreaterThanOrEqual(delayMs - 5);
  });
});

describe('a status query by the conversation', () => {
  it.each([
    { phone: '254712345678', status: 'Completed' },
    { phone: '254700000112', status: 'Failed' },
    { phone: '254700000114', status: 'Completed' },
    { phone: '254700000116', status: 'Pending' },
    { phone: '254700000117', status: 'Failed' },
  ])('finds a reversal of $phone: $status', async ({ phone, status }) => {
    const receipt = await collect(phone);
    const { body } = await simulator.reverse(receipt);
    // A later reversal has run its course, and so has this one.
    await simulator.reverse(await collect(), { ResultURL: receiver.url(receipt) });
    await resultAt(receipt);
    for (const name of ['OriginatorConversationID', 'ConversationID']) {
      const answer = await ask({ OriginalConversationID: body[name], TransactionID: '' });
      expect(answer).toMatchObject({ code: 0, parameters: { TransactionStatus: status } });
      expect(answer?.parameters[name]).toBe(body[name]);
      expect(answer?.parameters).toHaveProperty('InitiatedTime');
      expect(Object.hasOwn(answer?.parameters ?? {}, 'ReceiptNo')).toBe(status === 'Completed');
    }
  });

  it('does not find an unknown one: 2033', async () => {
    expect(await ask({ OriginalConversationID: 'unknown' })).toMatchObject({ code: 2033 });
  });

  it('finds the receipt that it also names', async () => {
    const receipt = await collect();
    expect(await ask({ OriginalConversationID: 'unknown', TransactionID: receipt })).toMatchObject(
      completed(receipt),
    );
  });
});

describe('a status query', () => {
  it.each([
    ['OriginalConversationID', {}],
    ['OriginalConversationID', { OriginalConversationID: 'a b' }],
    ['TransactionID', { TransactionID: 'short' }],
  ])('with a bad %s is refused: %j', async (name, more) => {
    expect(await simulator.ask('transactionstatus', receiver.url('aa'), more)).toMatchObject({
      status: 400,
      body: { errorCode: '400.002.02', errorMessage: `Bad Request - Invalid ${name}` },
    });
  });
});
