import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, quiet, Receiver, Simulator } from './harness.js';

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

/** A customer pays 250 shillings without a push. Returns the receipt. */
async function pay(phone = '254712345678'): Promise<string> {
  const answer = await simulator.post('/_c2b', { amount: '250.00', phone, tell: 0 });
  return answer.body['TransID'] ?? '';
}

/** Reverses a payment, with its own result URL. */
async function reverse(receipt: string, more: Readonly<Record<string, unknown>> = {}) {
  const token = randomUUID();
  const ResultURL = receiver.url(token);
  const answer = await simulator.reverse(receipt, { ResultURL, ...more }).catch(() => undefined);
  const results = () => receiver.results.filter(({ path }) => path === `/rails/${token}`);
  return { answer, results };
}

/** Returns the only result of a reversal. */
async function resultOf(receipt: string, more: Readonly<Record<string, unknown>> = {}) {
  const { answer, results } = await reverse(receipt, more);
  expect(answer?.status).toBe(200);
  await eventually(() => results().length === 1);
  return results()[0];
}

/** Waits until a later reversal has run its whole course, and so have those before it. */
async function settled(): Promise<void> {
  const { results } = await reverse(await pay('254700000115'));
  await eventually(() => results().length === 2);
  await quiet();
}

const linesAbout = async (receipt: string) =>
  (await simulator.statement()).filter((cells) => cells[11] === receipt);

describe('a reversal', () => {
  it('is accepted under ids of the rail, and reported with its parameters', async () => {
    const receipt = await pay();
    const { answer, results } = await reverse(receipt, { OriginatorConversationID: 'our-own' });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ResponseCode: '0',
        OriginatorConversationID: expect.stringMatching(/^\d+-\d+-1$/),
        ConversationID: expect.stringMatching(/^AG_\d{8}_[0-9a-f]{20}$/),
      },
    });
    await eventually(() => results().length === 1);
    const [result] = results();
    expect(result).toMatchObject({
      code: 0,
      originatorConversationId: answer?.body['OriginatorConversationID'],
      conversationId: answer?.body['ConversationID'],
      transactionId: expect.stringMatching(/^[A-Z0-9]{10}$/),
      parameters: {
        DebitAccountBalance: expect.stringMatching(/^Working Account\|KES\|\d+\.\d\d\|/),
        Amount: 250,
        TransCompletedTime: expect.any(Number),
        OriginalTransactionID: receipt,
        Charge: 0,
        CreditPartyPublicName: '254712345678 - TEST CUSTOMER',
        DebitPartyPublicName: '174379 - Daraja simulator',
      },
    });
    expect(result?.transactionId).not.toBe(receipt);
    expect(result?.raw).toContain('"ReferenceData":{"ReferenceItem":{"Key":"QueueTimeoutURL"');
  });

  it('is on the statement under its own receipt, and names the payment’s', async () => {
    const receipt = await pay();
    const result = await resultOf(receipt);
    const [line, ...others] = await linesAbout(receipt);
    expect(others).toEqual([]);
    expect(line?.[0]).toBe(result?.transactionId);
    expect(line?.slice(4, 7)).toEqual(['Completed', '', '-250.00']);
    expect(line?.slice(9, 12)).toEqual([
      'Transaction Reversal',
      '2547*****678 - TEST CUSTOMER',
      receipt,
    ]);
  });

  it('is also carried out for a payment by push', async () => {
    await simulator.push('254712345678', { AccountReference: 'REVERSED' });
    const paid = async () =>
      (await simulator.statement()).find((cells) => cells[12] === 'REVERSED');
    await eventually(async () => (await paid()) !== undefined);
    const receipt = (await paid())?.[0] ?? '';
    expect(await resultOf(receipt)).toMatchObject({ code: 0 });
    expect(await linesAbout(receipt)).toHaveLength(1);
  });

  it('gives a text code for a payment that was already reversed, and moves nothing', async () => {
    const receipt = await pay();
    await resultOf(receipt);
    const again = await resultOf(receipt);
    expect(again?.raw).toContain('"ResultCode":"R000001"');
    expect(again?.parameters).toEqual({});
    expect(await linesAbout(receipt)).toHaveLength(1);
  });

  it('happens once if it is requested twice at the same time', async () => {
    const receipt = await pay();
    const both = await Promise.all([resultOf(receipt), resultOf(receipt)]);
    expect(both.map((result) => result?.code).sort()).toEqual([0, 'R000001']);
    expect(await linesAbout(receipt)).toHaveLength(1);
  });

  it('gives a text code for an unknown receipt and for a payout', async () => {
    const unknown = await resultOf('ZZZ0000000');
    expect(unknown?.raw).toContain('"ResultCode":"R000002"');
    const ResultURL = receiver.url('payout');
    await simulator.pay('254712345678', { OriginatorConversationID: randomUUID(), ResultURL });
    const payouts = () => receiver.results.filter(({ path }) => path === '/rails/payout');
    await eventually(() => payouts().length === 1);
    expect(await resultOf(payouts()[0]?.transactionId ?? '')).toMatchObject({ code: 'R000002' });
  });

  it.each(['249.99', '250.01'])('is not permitted for %s of 250.00 (2028)', async (Amount) => {
    const receipt = await pay();
    expect(await resultOf(receipt, { Amount })).toMatchObject({ code: 2028, parameters: {} });
    expect(await linesAbout(receipt)).toEqual([]);
    expect(await resultOf(receipt)).toMatchObject({ code: 0 });
  });

  it.each([
    ['by the request', '254712345678'],
    ['in the portal', '254700000117'],
  ])('is not done %s if the working account does not cover it (1)', async (_, phone) => {
    const receipt = await pay(phone);
    const [newest] = await simulator.statement();
    await simulator.post('/_sweep', { amount: newest?.[7] });
    expect(await resultOf(receipt)).toMatchObject({ code: 1 });
    expect(await linesAbout(receipt)).toEqual([]);
  });

  it.each([
    ['Initiator', 'another', '500.001.1001', 'Wrong credentials'],
    ['SecurityCredential', 'another', '500.001.1001', 'Wrong credentials'],
    ['ReceiverParty', '600000', '500.001.1001', 'Merchant does not exist'],
    ['CommandID', 'Reversal', '400.002.02', 'Bad Request - Invalid CommandID'],
    ['TransactionID', 'short', '400.002.02', 'Bad Request - Invalid TransactionID'],
    ['Amount', '0', '400.002.02', 'Bad Request - Invalid Amount'],
    ['Remarks', 'R', '400.002.02', 'Bad Request - Invalid Remarks'],
    ['ResultURL', 'ftp://a.example', '400.002.02', 'Bad Request - Invalid ResultURL'],
    ['RecieverIdentifierType', '4', '400.002.02', 'Bad Request - Invalid RecieverIdentifierType'],
  ])('with %s %s is refused', async (field, value, errorCode, errorMessage) => {
    const answer = await simulator.reverse(await pay(), { [field]: value });
    expect(answer.body).toMatchObject({ errorCode, errorMessage });
  });

  it('with ReceiverIdentifierType spelt correctly is refused', async () => {
    const answer = await simulator.reverse(await pay(), {
      RecieverIdentifierType: undefined,
      ReceiverIdentifierType: '11',
    });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        errorCode: '400.002.02',
        errorMessage: 'Bad Request - Invalid RecieverIdentifierType',
      },
    });
  });
});

describe('the payer’s number', () => {
  it.each([
    { phone: '254700000112', codes: [1], moved: 0 },
    { phone: '254700000114', codes: [], moved: 1 },
    { phone: '254700000115', codes: [0, 0], moved: 1 },
    { phone: '254700000116', codes: [], moved: 0 },
    { phone: '254700000117', codes: ['R000001'], moved: 1 },
  ])('$phone: results $codes, $moved line', async ({ phone, codes, moved }) => {
    const receipt = await pay(phone);
    const { answer, results } = await reverse(receipt);
    expect(answer?.status).toBe(200);
    await settled();
    expect(results().map(({ code }) => code)).toEqual(codes);
    expect(await linesAbout(receipt)).toHaveLength(moved);
  });

  it('254700000111: refused at once', async () => {
    const receipt = await pay('254700000111');
    const before = await simulator.stats();
    const { answer, results } = await reverse(receipt);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: '400.002.02' } });
    await quiet();
    expect([results(), await simulator.stats()]).toEqual([[], before]);
  });

  it('254700000113: its answer is lost, the result comes', async () => {
    const { answer, results } = await reverse(await pay('254700000113'));
    expect(answer).toBeUndefined();
    await eventually(() => results().length === 1);
    expect(results()[0]?.code).toBe(0);
  });

  it('254700000117: the reversal in the portal has a receipt of its own', async () => {
    const receipt = await pay('254700000117');
    const result = await resultOf(receipt);
    const [line] = await linesAbout(receipt);
    expect(line?.[0]).not.toBe(result?.transactionId);
  });

  it.each([111, 112, 113, 114, 115, 116, 117])('254700000%d pays a push', async (number) => {
    const token = randomUUID();
    await simulator.push(`254700000${number}`, { CallBackURL: receiver.url(token) });
    await eventually(() => receiver.of(token).length === 1);
    expect(receiver.of(token)[0]?.resultCode).toBe(0);
  });
});

describe('a restarted simulator', () => {
  it('carries out the reversals that it accepted and reports them', async () => {
    const receipt = await pay();
    await simulator.end('SIGTERM');
    // Time to accept and to be killed before the result, on a busy machine.
    await simulator.restart({ SIMULATOR_DELAY: '6s' });
    const { answer, results } = await reverse(receipt);
    expect(answer?.status).toBe(200);
    await simulator.end('SIGKILL');
    expect(results()).toEqual([]);
    await simulator.restart();
    await eventually(() => results().length === 1);
    expect(results()[0]).toMatchObject({ code: 0, conversationId: answer?.body['ConversationID'] });
  });

  it('remembers what it reversed and reported', async () => {
    const receipt = await pay();
    const byHand = await pay('254700000117');
    const done = await reverse(receipt);
    await eventually(() => done.results().length === 1);
    await resultOf(byHand);
    const before = [await simulator.statementText(), await simulator.stats()];
    await simulator.end('SIGTERM');
    await simulator.restart();
    await quiet();
    expect([await simulator.statementText(), await simulator.stats()]).toEqual(before);
    expect(done.results()).toHaveLength(1);
    expect(await resultOf(receipt)).toMatchObject({ code: 'R000001' });
  });
});
