import { describe, expect, it } from '@jest/globals';
import { accountIn, readNotice } from './notice-body.js';

/** A confirmation as Daraja documents it; all members are strings. */
const confirmation = {
  TransactionType: 'Pay Bill',
  TransID: 'RKL51ZDR4F',
  TransTime: '20231121121325',
  TransAmount: '5.00',
  BusinessShortCode: '600966',
  BillRefNumber: '100000001',
  InvoiceNumber: '',
  OrgAccountBalance: '25.00',
  ThirdPartyTransID: '',
  MSISDN: '2547 ***** 126',
  FirstName: 'NICHOLAS',
  MiddleName: '',
  LastName: '',
};
const read = (over: object = {}) =>
  readNotice(Buffer.from(JSON.stringify({ ...confirmation, ...over })));

describe('a notice of a customer’s payment', () => {
  it('has the receipt, the amount, the time in East Africa, the masked number and the account', () => {
    expect(read()).toEqual({
      shortCode: '600966',
      payment: {
        receipt: 'RKL51ZDR4F',
        amountMinor: 500n,
        paidAt: '2023-11-21T09:13:25.000Z',
        accountNo: '100000001',
        party: '2547*****126',
      },
    });
  });

  it.each([
    ['asks before the payment', { OrgAccountBalance: '' }],
    ['is of a till that names no account', { BillRefNumber: '' }],
    ['is of a till whose account is null', { BillRefNumber: null }],
    ['is of a live till', { TransactionType: 'Customer Merchant Payment' }],
    ['hides the number in a hash', { MSISDN: 'a'.repeat(64) }],
    ['has a number as a number', { MSISDN: 254712345678 }],
    ['has an amount as a number', { TransAmount: 5 }],
    ['has cents', { TransAmount: '5.50' }],
    ['has members that we do not know', { Later: { than: 'this release' } }],
  ])('is read if it %s', (_, over) => {
    expect(read(over)?.payment.receipt).toBe('RKL51ZDR4F');
  });

  it('names no customer if the number is hashed', () => {
    expect(read({ MSISDN: 'a'.repeat(64) })?.payment).not.toHaveProperty('party');
  });

  it.each([
    ['receipt', { TransID: '' }],
    ['receipt', { TransID: 'no receipt!' }],
    ['amount', { TransAmount: '0.00' }],
    ['amount', { TransAmount: '-5' }],
    ['amount', { TransAmount: '5.005' }],
    ['time', { TransTime: '20231332121325' }],
    ['short code', { BusinessShortCode: null }],
  ])('without a %s is none', (_, over) => {
    expect(read(over)).toBeUndefined();
  });

  it.each(['', '[]', 'null', '{"Body":{}}', '\u0000'])('is not %j', (text) => {
    expect(readNotice(Buffer.from(text))).toBeUndefined();
  });
});

describe('the account that a customer typed', () => {
  it.each([
    ['100000001', { accountNo: '100000001' }],
    [' 100 000 001 ', { accountNo: '100000001' }],
    ['100000001 INV 7', { accountNo: '100000001', reference: 'INV7' }],
    ['100000001-inv-7', { accountNo: '100000001', reference: 'INV-7' }],
    ['100000001#a7', { accountNo: '100000001', reference: 'A7' }],
    ['100000001 #', { accountNo: '100000001' }],
    ['100000001 RENT OF JOHN DOE', { accountNo: '100000001' }],
    ['100000001INV7', {}],
    ['7f3k9q2m4x8c', { code: '7F3K9Q2M4X8C' }],
    ['JOHN DOE RENT', {}],
    ['', {}],
    ['254712345678', {}],
    ['0712 345 678', {}],
    ['712345678', { accountNo: '712345678' }],
    // Without the space they have the form of a code.
    ['1234567890 A1', { accountNo: '1234567890', reference: 'A1' }],
    ['100000001 inv', { accountNo: '100000001', reference: 'INV' }],
    ['1234567890 INV-2026A', { accountNo: '1234567890', reference: 'INV-2026A' }],
  ])('%j is read as %j', (typed, account) => {
    expect(accountIn(typed)).toEqual(account);
  });
});
