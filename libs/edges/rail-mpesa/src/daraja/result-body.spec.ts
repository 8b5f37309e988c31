import { describe, expect, it } from '@jest/globals';
import { readFloat, readPayoutAnswer, readPayoutResult } from './result-body.js';

type Parameters = Readonly<Record<string, unknown>>;

const listOf = (parameters: Parameters) =>
  Object.entries(parameters).map(([Key, Value]) => ({ Key, Value }));
const bytesOf = (result: object, parameters: Parameters = {}) =>
  Buffer.from(
    JSON.stringify({
      Result: {
        ResultType: 0,
        ResultCode: 0,
        ResultDesc: 'in whatever words',
        OriginatorConversationID: 'pp-1',
        ConversationID: 'AG_20191219_1',
        TransactionID: 'NLJ41HAY6Q',
        ResultParameters: { ResultParameter: listOf(parameters) },
        ...result,
      },
    }),
  );
const none = [
  Buffer.from(''),
  Buffer.from([0xff, 0]),
  Buffer.from('{}'),
  Buffer.from('{"Result":[]}'),
];

describe('the result of a payment out', () => {
  const parameters = {
    TransactionAmount: 10.5,
    TransactionReceipt: 'NLJ41HAY6Q',
    TransactionCompletedDateTime: '19.12.2019 11:45:50',
  };
  const read = (result: object, told: Parameters = parameters) =>
    readPayoutResult(bytesOf(result, told));

  it.each([0, '0'])(
    'reports amount, receipt and the rail’s time with the code %j',
    (ResultCode) => {
      expect(read({ ResultCode })).toEqual({
        originatorConversationId: 'pp-1',
        conversationId: 'AG_20191219_1',
        verdict: {
          kind: 'paid',
          resultCode: '0',
          amountMinor: 1050n,
          receipt: 'NLJ41HAY6Q',
          paidAt: '2019-12-19T08:45:50.000Z',
        },
      });
    },
  );

  it.each([undefined, '', 'ten', 0, -1, '1e2'])(
    'settles nothing but keeps the receipt if it reports success with the amount %j',
    (TransactionAmount) => {
      expect(read({}, { ...parameters, TransactionAmount })?.verdict).toEqual({
        kind: 'unresolved',
        isSuccess: true,
        receipt: 'NLJ41HAY6Q',
      });
    },
  );

  it('names its receipt in capitals', () => {
    expect(read({ TransactionID: 'nlj41hay6q' })?.verdict).toMatchObject({ receipt: 'NLJ41HAY6Q' });
  });

  it.each([0, 1, '2001', '17'])(
    'settles nothing with the code %j if another result follows',
    (ResultCode) => {
      expect(read({ ResultType: 1, ResultCode })?.verdict).toEqual({ kind: 'unresolved' });
      expect(read({ ResultType: '1', ResultCode })?.verdict).toEqual({ kind: 'unresolved' });
    },
  );

  it('is read even if a name in it is encoded as Latin-1', () => {
    const named = bytesOf({}, { ...parameters, ReceiverPartyPublicName: '254712345678 - JOSÉ' });
    const bytes = Buffer.from(named.toString('utf8'), 'latin1');
    expect(readPayoutResult(bytes)).toEqual(readPayoutResult(named));
    expect(readPayoutResult(bytes)?.verdict).toMatchObject({ kind: 'paid', amountMinor: 1050n });
  });

  it('keeps the rest if its time cannot be read', () => {
    const told = { ...parameters, TransactionCompletedDateTime: '31.02.2019 11:45:50' };
    const verdict = read({}, told)?.verdict;
    expect(verdict).toMatchObject({ kind: 'paid', amountMinor: 1050n, receipt: 'NLJ41HAY6Q' });
    expect(verdict).not.toHaveProperty('paidAt');
  });

  it.each([
    [1, 'rail_float_insufficient'],
    ['2', 'below_minimum'],
    ['3', 'above_maximum'],
    [4, 'daily_limit_exceeded'],
    [8, 'balance_limit_exceeded'],
    [11, 'rail_account_inactive'],
    [21, 'rail_unauthorized'],
    [2040, 'receiver_not_registered'],
    ['2001', 'rail_unauthorized'],
    ['SFC_IC0003', 'invalid_party'],
  ])('declines with the code %j: %s', (ResultCode, failureCode) => {
    expect(read({ ResultCode }, {})?.verdict).toEqual({ kind: 'declined', failureCode });
  });

  it('has the reversed receipt, and the reversal’s own amount and time, for a reversal', () => {
    const told = {
      DebitAccountBalance: 'Working Account|KES|900.00|900.00|0.00|0.00',
      Amount: 10.5,
      TransCompletedTime: 20191219114550,
      OriginalTransactionID: 'nlj4000001',
    };
    expect(read({}, told)).toEqual({
      originatorConversationId: 'pp-1',
      conversationId: 'AG_20191219_1',
      reverses: 'NLJ4000001',
      verdict: {
        kind: 'paid',
        resultCode: '0',
        amountMinor: 1050n,
        receipt: 'NLJ41HAY6Q',
        paidAt: '2019-12-19T08:45:50.000Z',
      },
    });
  });

  it('reports that the money left, but settles nothing, if the payment was already reversed', () => {
    expect(read({ ResultCode: 'R000001' }, {})?.verdict).toEqual({
      kind: 'unresolved',
      unknownCode: 'R000001',
      isSuccess: true,
    });
    const unknown = read({ ResultCode: 'R000002' }, {})?.verdict;
    expect(unknown).toEqual({ kind: 'declined', failureCode: 'receipt_unknown' });
  });

  it.each(['17', '1037', '4999', 'toString'])('settles nothing with the code %s', (ResultCode) => {
    const verdict = { kind: 'unresolved', unknownCode: ResultCode };
    expect(read({ ResultCode })?.verdict).toEqual(verdict);
  });

  it('is nothing else', () => {
    for (const bytes of none) expect(readPayoutResult(bytes)).toBeUndefined();
    expect(read({ OriginatorConversationID: '' })).toMatchObject({
      originatorConversationId: '',
      conversationId: 'AG_20191219_1',
      verdict: { kind: 'paid' },
    });
    expect(read({ ResultCode: null })).toBeUndefined();
  });
});

describe('the answer to a status query', () => {
  const parameters = {
    OriginatorConversationID: 'pp-1',
    ConversationID: 'AG_20191219_1',
    Amount: 10,
    ReceiptNo: 'NLJ41HAY6Q',
    FinalisedTime: 20191219114550,
    TransactionStatus: 'Completed',
  };
  const read = (told: Parameters, result: object = {}) =>
    readPayoutAnswer(
      bytesOf({ OriginatorConversationID: 'own', ConversationID: 'AG_own', ...result }, told),
    );

  it('names the payment that was asked about, not the question', () => {
    expect(read(parameters)).toEqual({
      originatorConversationId: 'pp-1',
      conversationId: 'AG_20191219_1',
      verdict: {
        kind: 'paid',
        resultCode: '0',
        amountMinor: 1000n,
        receipt: 'NLJ41HAY6Q',
        paidAt: '2019-12-19T08:45:50.000Z',
      },
    });
  });

  it.each([
    ['Failed', 'rail_declined'],
    ['Expired', 'expired'],
  ])('declines if it says %s', (TransactionStatus, failureCode) => {
    const verdict = { kind: 'declined', failureCode };
    expect(read({ ...parameters, TransactionStatus })?.verdict).toEqual(verdict);
  });

  it.each([
    [{ ...parameters, TransactionStatus: 'Pending' }, {}, { kind: 'unresolved' }],
    [{ ...parameters, TransactionStatus: undefined }, {}, { kind: 'unresolved' }],
    [{ ...parameters, TransactionStatus: 'Pending Authorized' }, {}, { kind: 'unresolved' }],
    [
      { ...parameters, Amount: undefined },
      {},
      { kind: 'unresolved', isSuccess: true, receipt: 'NLJ41HAY6Q' },
    ],
    [{ ...parameters, TransactionStatus: 'Odd' }, {}, { kind: 'unresolved', unknownCode: 'Odd' }],
    [{}, { ResultCode: 2033 }, { kind: 'unresolved', unknownCode: '2033' }],
    // The question failed, so the other members are no answer.
    [parameters, { ResultCode: '1' }, { kind: 'unresolved', unknownCode: '1' }],
  ])('settles nothing: %j %j', (told, result, verdict) => {
    expect(read(told, result)?.verdict).toEqual(verdict);
  });

  it('is nothing else', () => {
    for (const bytes of none) expect(readPayoutAnswer(bytes)).toBeUndefined();
  });

  it('names the payment even if its field names have spaces, or if it has only the rail’s own id', () => {
    const { OriginatorConversationID, ConversationID, ...rest } = parameters;
    const spaced = {
      'Originator Conversation ID': OriginatorConversationID,
      'Conversation ID': ConversationID,
    };
    expect(read({ ...rest, ...spaced })).toEqual(read(parameters));
    expect(read({ ...rest, ConversationID })).toEqual({
      ...read(parameters),
      originatorConversationId: '',
    });
    // The question's own names, beside the parameters, are never the payment's.
    expect(read(rest)).not.toHaveProperty('conversationId');
  });
});

describe('the float', () => {
  const read = (AccountBalance: unknown, result: object = {}) =>
    readFloat(bytesOf(result, { AccountBalance }));
  const accounts = (utility: string) =>
    `Working Account|KES|700000.00|700000.00|0.00|0.00&${utility}&Charges Paid Account|KES|-1540.00|-1540.00|0.00|0.00`;

  it('is the lesser of the utility account’s two sums', () => {
    expect(read(accounts('Utility Account|KES|228037.00|228030.50|0.00|0.00'))).toBe(22_803_050n);
    expect(read(accounts('Utility Account|KES|-5.25|0.00|0.00|0.00'))).toBe(-525n);
  });

  it.each([
    accounts('Float Account|KES|0.00|0.00|0.00|0.00'),
    accounts('Utility Account|USD|1.00|1.00|0.00|0.00'),
    accounts('Utility Account|KES|x|1.00'),
    '',
    undefined,
  ])('is unknown from %j', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('is unknown if the question failed, or the answer cannot be read', () => {
    const text = accounts('Utility Account|KES|1.00|1.00|0.00|0.00');
    expect(read(text, { ResultCode: 1 })).toBeUndefined();
    for (const bytes of none) expect(readFloat(bytes)).toBeUndefined();
  });
});
