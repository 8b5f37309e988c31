import { describe, expect, it } from '@jest/globals';
import { readReceiptAnswer } from './receipt-answer.js';

type Parameters = Readonly<Record<string, unknown>>;

const paid: Parameters = {
  DebitPartyName: '254712345678 - JOHN DOE',
  CreditPartyName: '600100 - Duka',
  Amount: 250.5,
  TransactionStatus: 'Completed',
  InitiatedTime: 20191219102100,
  ReceiptNo: 'NLJ7RT61SV',
  FinalisedTime: 20191219102115,
};
const read = (over: Parameters = {}, result: object = {}) =>
  readReceiptAnswer(
    Buffer.from(
      JSON.stringify({
        Result: {
          ResultType: 0,
          ResultCode: 0,
          ResultDesc: 'in whatever words',
          OriginatorConversationID: 'q-1',
          ConversationID: 'AG_1',
          TransactionID: '0000000000',
          ResultParameters: {
            ResultParameter: Object.entries({ ...paid, ...over }).map(([Key, Value]) => ({
              Key,
              Value,
            })),
          },
          ...result,
        },
      }),
    ),
  );

describe('the answer to a question about a receipt', () => {
  it('reports a payment to a short code with receipt, amount, time and a masked number', () => {
    expect(read()).toEqual({
      kind: 'paid',
      notice: {
        shortCode: '600100',
        payment: {
          receipt: 'NLJ7RT61SV',
          amountMinor: 25_050n,
          paidAt: '2019-12-19T07:21:15.000Z',
          party: '2547*****678',
        },
      },
    });
  });

  it.each([
    '25470****149 - X',
    '254712***678 - X',
    '254712*** 678 - X',
    '2547 ***** 678',
    '254712xxx678 - X',
  ])('reports a payment by a customer whose number is masked: %s', (DebitPartyName) => {
    expect(read({ DebitPartyName })).toMatchObject({ kind: 'paid' });
  });

  it.each(['600100', '600100 - Duka', '600100-Duka', '60010 -'])(
    'reports a payment to a short code: %s',
    (CreditPartyName) => {
      expect(read({ CreditPartyName })).toMatchObject({ kind: 'paid' });
    },
  );

  it.each([
    ['a receipt that the rail does not know', { ResultCode: 2032 }, 'receipt_not_known', undefined],
    ['a code that is in no list', { ResultCode: 'SFC_IC0999' }, 'receipt_unclear', 'SFC_IC0999'],
    ['a result without parameters', { ResultParameters: undefined }, 'receipt_unclear', ''],
  ])('reports no payment: %s', (_what, result, why, code) => {
    expect(read({}, result)).toEqual({
      kind: 'not_paid',
      why,
      ...(code === undefined ? {} : { code }),
    });
  });

  it.each(['1', '1037', '2040', '4999', 'R000002'])(
    'is unclear with a code that counts as known: %s',
    (ResultCode) => {
      expect(read({}, { ResultCode })).toEqual({ kind: 'not_paid', why: 'receipt_unclear' });
    },
  );

  it.each(['21', '2001', '8006', 'SFC_IC0003'])(
    'refuses the initiator by its code: %s',
    (ResultCode) => {
      const refusal = { why: 'receipt_unclear', isAskerRefused: true };
      expect(read({}, { ResultCode })).toEqual({ kind: 'not_paid', ...refusal });
    },
  );

  it.each([
    ['a payout', { DebitPartyName: '600100 - Duka', CreditPartyName: '254712345678 - JOHN DOE' }],
    ['a transfer between our own accounts', { DebitPartyName: '600100 - Duka' }],
    ['a reversed payout of ours', { ReasonType: 'Transaction Reversal' }],
    ['a payout that somebody reversed', { TransactionReason: 'Reversed: wrong number' }],
    ['a payment to a person', { CreditPartyName: '254700000000 - JANE DOE' }],
    ['a payment that failed', { TransactionStatus: 'Failed' }],
  ])('reports no payment to us: %s', (_what, over) => {
    expect(read(over)).toEqual({ kind: 'not_paid', why: 'receipt_not_paid' });
  });

  it.each([
    { Amount: undefined },
    { Amount: 0 },
    { Amount: '250,50' },
    { ReceiptNo: 'no receipt' },
    { FinalisedTime: 20191319102115 },
    { CreditPartyName: undefined },
    { CreditPartyName: ' ' },
    { TransactionStatus: 'Pending' },
    { TransactionStatus: 'Whatever' },
  ])('is unclear: %j', (over) => {
    expect(read(over)).toMatchObject({ kind: 'not_paid', why: 'receipt_unclear' });
  });

  it.each(['', '{}', '{"Result":[]}', '{"Result":{}}', '[1', '{"Body":{}}'])(
    'is not read from %s',
    (text) => {
      expect(readReceiptAnswer(Buffer.from(text))).toBeUndefined();
    },
  );
});
