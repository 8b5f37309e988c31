import { describe, expect, it } from '@jest/globals';
import { readCallback } from './callback-body.js';

/** The example of Safaricom's documentation, with the numbers in their own spelling. */
const paid = (items: string) => `{"Body":{"stkCallback":{
  "MerchantRequestID":"29115-34620561-1","CheckoutRequestID":"ws_CO_191220191020363925",
  "ResultCode":0,"ResultDesc":"The service request is processed successfully.",
  "CallbackMetadata":{"Item":[${items}]}}}}`;
const receipt = '{"Name":"MpesaReceiptNumber","Value":"NLJ7RT61SV"}';
const date = '{"Name":"TransactionDate","Value":20191219102115}';
const phone = '{"Name":"PhoneNumber","Value":254708374149}';
const amount = (value: string) => `{"Name":"Amount","Value":${value}}`;
const read = (text: string) => readCallback(Buffer.from(text));

describe('a callback', () => {
  it('reports amount, receipt and the rail’s time', () => {
    const all = [amount('1.00'), receipt, '{"Name":"Balance"}', date, phone].join(',');
    expect(read(paid(all))).toEqual({
      railReference: 'ws_CO_191220191020363925',
      merchantRequestId: '29115-34620561-1',
      verdict: {
        kind: 'paid',
        resultCode: '0',
        amountMinor: 100n,
        receipt: 'NLJ7RT61SV',
        paidAt: '2019-12-19T07:21:15.000Z',
      },
    });
  });

  it.each([
    ['90071992547.41', 9_007_199_254_741n],
    ['0.57', 57n],
    ['"250.50"', 25_050n],
    ['250', 25_000n],
  ])('reads the amount %s exactly', (value, amountMinor) => {
    expect(read(paid(amount(value)))?.verdict).toMatchObject({ amountMinor });
  });

  it.each(['1e2', '"1E2"', '"1,000.00"', '100.005', '-1.00', '0', '0.00', '"ten"'])(
    'reports a success with an unreadable amount if the amount is %s',
    (value) => {
      expect(read(paid([amount(value), receipt, date].join(',')))).toMatchObject({
        railReference: 'ws_CO_191220191020363925',
        verdict: {
          kind: 'paid',
          resultCode: '0',
          receipt: 'NLJ7RT61SV',
          paidAt: '2019-12-19T07:21:15.000Z',
        },
        isAmountUnreadable: true,
      });
      expect(read(paid([amount(value), receipt].join(',')))?.verdict).not.toHaveProperty(
        'amountMinor',
      );
    },
  );

  it.each([
    ['an item lacks its value', `{"Name":"Balance"},${receipt}`, { receipt: 'NLJ7RT61SV' }],
    ['an item is null', 'null,3,"x"', {}],
    ['the date is impossible', '{"Name":"TransactionDate","Value":20190230000000}', {}],
    [
      'the date is no date, and keeps its receipt',
      `{"Name":"TransactionDate","Value":"soon"},${receipt}`,
      { receipt: 'NLJ7RT61SV' },
    ],
    [
      'the receipt is in small letters',
      '{"Name":"MpesaReceiptNumber","Value":"nlj7rt61sv "}',
      { receipt: 'NLJ7RT61SV' },
    ],
    ['the receipt is none', '{"Name":"MpesaReceiptNumber","Value":"a b"}', {}],
  ])('is still read as a payment if %s', (_, items, told) => {
    expect(read(paid(`${amount('5')},${items}`))).toMatchObject({
      verdict: { kind: 'paid', resultCode: '0', amountMinor: 500n, ...told },
    });
  });

  it.each([
    ['there are no items', ''],
    ['the amount is missing', `${receipt},${date}`],
    ['the amount has no value', `{"Name":"Amount"},${receipt},${date}`],
    ['the amount is null', `{"Name":"Amount","Value":null},${receipt},${date}`],
  ])('has no readable amount if %s', (_, items) => {
    expect(read(paid(items))).toMatchObject({
      verdict: { kind: 'paid', resultCode: '0' },
      isAmountUnreadable: true,
    });
  });

  it.each([
    ['1032', { kind: 'declined', failureCode: 'cancelled' }],
    ['"1037"', { kind: 'declined', failureCode: 'no_answer' }],
    ['"SFC_IC0003"', { kind: 'declined', failureCode: 'invalid_party' }],
    ['4999', { kind: 'unresolved' }],
    ['77', { kind: 'unresolved', unknownCode: '77' }],
  ])('is judged by its result code alone: %s', (code, verdict) => {
    const text = `{"Body":{"stkCallback":{"CheckoutRequestID":"ws_CO_1","ResultCode":${code},
      "ResultDesc":"The service request is processed successfully."}}}`;
    expect(read(text)).toEqual({ railReference: 'ws_CO_1', verdict });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{"Body":'],
    ['no object', '[]'],
    ['no callback', '{"Body":{}}'],
    ['a prototype’s member', '{"Body":{"__proto__":{"stkCallback":{}}}}'],
    ['no checkout id', '{"Body":{"stkCallback":{"ResultCode":0}}}'],
    [
      'a checkout id with spaces',
      '{"Body":{"stkCallback":{"CheckoutRequestID":"a b","ResultCode":0}}}',
    ],
    ['no result code', '{"Body":{"stkCallback":{"CheckoutRequestID":"a"}}}'],
    [
      'a result code that is no code',
      '{"Body":{"stkCallback":{"CheckoutRequestID":"a","ResultCode":[0]}}}',
    ],
  ])('is not read from %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('is not read from invalid UTF-8', () => {
    expect(readCallback(Buffer.from([0x7b, 0xff, 0x7d]))).toBeUndefined();
  });
});
