import { describe, expect, it } from '@jest/globals';
import { readPulled as read } from './pull.js';

const entry = {
  transactionId: 'yzlyrEsRG1',
  trxDate: '2026-11-20T10:13:00Z',
  msisdn: 254722000000,
  sender: 'UAT2',
  transactiontype: 'c2b-pay-bill-debit',
  billreference: 'CODE00000001',
  amount: '168.00',
  organizationname: 'Shop',
};
const page = (entries: readonly unknown[], code = '1000'): string =>
  JSON.stringify({
    ResponseRefID: '1-2-1',
    ResponseCode: code,
    ResponseMessage: '',
    Response: [entries],
  });
const fromMs = Date.UTC(2026, 10, 19, 21);
const readPulled = (status: number, body: string, offset: number) =>
  read(status, body, { fromMs, offset });
const payment = {
  receipt: 'YZLYRESRG1',
  amountMinor: 16_800n,
  paidAt: '2026-11-20T10:13:00.000Z',
  code: 'CODE00000001',
  party: '2547*****000',
};

describe('a page of Pull Transactions', () => {
  it('is read without the customer’s number, and says where the next one begins', () => {
    expect(readPulled(200, page([entry, entry]), 100)).toEqual({
      kind: 'page',
      payments: [payment, payment],
      unreadable: 0,
      next: 102,
    });
  });

  it('may be a list alone, and the last one is empty', () => {
    const flat = JSON.stringify({ ResponseCode: '1000', Response: [entry] });
    expect(readPulled(200, flat, 0)).toMatchObject({ payments: [payment], next: 1 });
    const last = { kind: 'page', payments: [], unreadable: 0 };
    expect(readPulled(200, page([], '1001'), 5)).toEqual(last);
    expect(readPulled(200, JSON.stringify({ ResponseCode: '1001' }), 5)).toEqual(last);
  });

  it.each<[string, object]>([
    ['no receipt', { transactionId: undefined }],
    ['a receipt that is none', { transactionId: '=1+1' }],
    ['no amount', { amount: '' }],
    ['nothing', { amount: '0.00' }],
    ['parts of a cent', { amount: '1.005' }],
  ])('counts an entry with %s, and goes on behind it', (_what, wrong) => {
    expect(readPulled(200, page([{ ...entry, ...wrong }, 7, entry]), 0)).toEqual({
      kind: 'page',
      payments: [payment],
      unreadable: 2,
      next: 3,
    });
  });

  it.each([undefined, 'yesterday', '2026-13-40T10:00:00Z', '2026-11-20 13:13:00'])(
    'loses no payment for its time (%s)',
    (trxDate) => {
      const unread = { ...payment, paidAt: new Date(fromMs).toISOString() };
      const told = readPulled(200, page([{ ...entry, trxDate }]), 0);
      expect(told).toEqual({ kind: 'page', payments: [unread], unreadable: 0, next: 1 });
    },
  );

  it('keeps no account that cannot be a code of ours', () => {
    const { code: _code, ...rest } = payment;
    for (const billreference of ['0722000000', '254722000000', 'my rent']) {
      const typed = readPulled(200, page([{ ...entry, billreference }]), 0);
      expect(typed).toEqual({ kind: 'page', payments: [rest], unreadable: 0, next: 1 });
    }
  });

  it.each<[string, number, string, string]>([
    ['a token that is refused', 404, '{"errorCode":"404.001.03"}', 'invalid_token'],
    ['a spike arrest', 500, '{"errorCode":"500.003.02"}', 'not_asked'],
    ['too many requests', 429, '', 'not_asked'],
    ['a gateway’s page', 502, '<html>', 'unanswered'],
    ['another code', 200, '{"ResponseCode":"9","Response":[]}', 'unanswered'],
    ['no list', 200, '{"ResponseCode":"1000","Response":"none"}', 'unanswered'],
    ['payments that are not there', 200, '{"ResponseCode":"1000"}', 'unanswered'],
    ['a refusal', 400, '{"errorCode":"400.002.02"}', 'unanswered'],
  ])('%s is no page', (_what, status, body, kind) => {
    expect(readPulled(status, body, 0)).toEqual({ kind });
  });
});
