import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
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
  read(status, body, { fromMs, untilMs: fromMs + 86_400_000, offset });
const payment = {
  receipt: 'YZLYRESRG1',
  amountMinor: 16_800n,
  paidAt: '2026-11-20T10:13:00.000Z',
  isZoneUncertain: true,
  code: 'CODE00000001',
  party: '2547*****000',
};

describe('a page of Pull Transactions', () => {
  it('is read without the customer’s number, and gives the offset of the next page', () => {
    expect(readPulled(200, page([entry, entry]), 100)).toEqual({
      kind: 'page',
      payments: [payment, payment],
      unreadable: 0,
      next: 102,
    });
  });

  it('may be a flat list, and the last page is empty', () => {
    const flat = JSON.stringify({ ResponseCode: '1000', Response: [entry] });
    expect(readPulled(200, flat, 0)).toMatchObject({ payments: [payment], next: 1 });
    const last = { kind: 'page', payments: [], unreadable: 0 };
    expect(readPulled(200, page([], '1001'), 5)).toEqual(last);
    expect(readPulled(500, page([], '1001'), 5)).toEqual(last);
    expect(readPulled(200, JSON.stringify({ ResponseCode: '1001' }), 5)).toEqual(last);
  });

  it.each<[string, object]>([
    ['no receipt', { transactionId: undefined }],
    ['a receipt that is none', { transactionId: '=1+1' }],
    ['no amount', { amount: '' }],
    ['nothing', { amount: '0.00' }],
    ['parts of a cent', { amount: '1.005' }],
  ])('counts an entry with %s as unreadable, and continues after it', (_what, wrong) => {
    expect(readPulled(200, page([{ ...entry, ...wrong }, 7, entry]), 0)).toEqual({
      kind: 'page',
      payments: [payment],
      unreadable: 2,
      next: 3,
    });
  });

  it.each([undefined, 'yesterday', '2026-13-40T10:00:00Z', '2026-11-20'])(
    'keeps a payment with an unreadable time (%s)',
    (trxDate) => {
      const { isZoneUncertain: _isZoneUncertain, ...rest } = payment;
      const unread = { ...rest, paidAt: new Date(fromMs).toISOString() };
      const told = readPulled(200, page([{ ...entry, trxDate }]), 0);
      expect(told).toEqual({ kind: 'page', payments: [unread], unreadable: 0, next: 1 });
    },
  );

  it.each([
    // With an offset the time is certain.
    ['2026-11-20T12:00:00+03:00', '2026-11-20T09:00:00.000Z', false],
    ['2026-11-20T12:00:00.5+0300', '2026-11-20T09:00:00.000Z', false],
    ['2026-11-20T04:30:00-05:30', '2026-11-20T10:00:00.000Z', false],
    ['2026-11-20 09:00:00+00:00', '2026-11-20T09:00:00.000Z', false],
    // Without an offset, or with Z, the day that was asked about may decide.
    ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00.000Z', true],
    ['2026-11-20 12:00:00', '2026-11-20T12:00:00.000Z', true],
    ['2026-11-20T22:00:00Z', '2026-11-20T19:00:00.000Z', false],
    ['2026-11-20 23:59:59', '2026-11-20T20:59:59.000Z', false],
    ['2026-11-19T22:00:00Z', '2026-11-19T22:00:00.000Z', false],
  ])('reads the time %s as %s', (trxDate, paidAt, isUncertain) => {
    const told = readPulled(200, page([{ ...entry, trxDate }]), 0);
    const { isZoneUncertain: _isZoneUncertain, ...rest } = payment;
    const read = { ...rest, paidAt, ...(isUncertain ? { isZoneUncertain: true } : {}) };
    expect(told).toEqual({ kind: 'page', payments: [read], unreadable: 0, next: 1 });
  });

  it('reads a time as the same instant, whatever its offset', () => {
    const anyMs = fc.integer({ min: fromMs / 1000, max: fromMs / 1000 + 86_399 });
    fc.assert(
      fc.property(anyMs, fc.integer({ min: -840, max: 840 }), (seconds, minutes) => {
        const local = new Date(seconds * 1000 + minutes * 60_000).toISOString().slice(0, 19);
        const two = (part: number): string => String(part).padStart(2, '0');
        const size = Math.abs(minutes);
        const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
        const told = readPulled(200, page([{ ...entry, trxDate: local + zone }]), 0);
        const paidAt = new Date(seconds * 1000).toISOString();
        expect(told).toMatchObject({ payments: [{ paidAt }] });
      }),
    );
  });

  it.each([
    [254722000000, '2547*****000'],
    ['254722000000', '2547*****000'],
    [722000000, '2547*****000'],
    ['722000000', '2547*****000'],
    ['0722000000', '2547*****000'],
    ['+254 722 000 000', '2547*****000'],
    ['2547 ***** 126', '2547*****126'],
    ['25470****149', '2547*****149'],
    ['7*****126', '2547*****126'],
    ['a'.repeat(64), undefined],
    ['22000000', undefined],
    ['', undefined],
  ])('reads only the mask of the number %s', (msisdn, party) => {
    const told = readPulled(200, page([{ ...entry, msisdn }]), 0);
    const { party: _party, ...rest } = payment;
    const read = party === undefined ? rest : { ...rest, party };
    expect(told).toEqual({ kind: 'page', payments: [read], unreadable: 0, next: 1 });
  });

  it.each(['c2b-pay-bill-debit', 'C2B-Buy-Goods-Debit', '', undefined])(
    'reads %s as a customer’s payment',
    (transactiontype) => {
      const told = readPulled(200, page([{ ...entry, transactiontype }]), 0);
      expect(told).toMatchObject({ payments: [payment], unreadable: 0 });
    },
  );

  it.each(['reversal', 'business-to-customer', 'b2c-payment', 'c2b-reversal-credit'])(
    'leaves %s, which may be money that went out, to a person (REC-41)',
    (transactiontype) => {
      const entries = [
        entry,
        { ...entry, transactiontype },
        { ...entry, transactiontype, amount: '' },
      ];
      expect(readPulled(200, page(entries), 0)).toEqual({
        kind: 'page',
        payments: [payment, { ...payment, isKindUnknown: true }],
        unreadable: 1,
        next: 3,
      });
    },
  );

  it('leaves out the organisation’s other transfers, counts them, and continues after them', () => {
    const types = ['organization-to-bank', 'utility-settlement', 'b2b-transfer'];
    const own = types.map((transactiontype) => ({ ...entry, transactiontype }));
    const told = readPulled(200, page([...own, entry]), 0);
    expect(told).toEqual({
      kind: 'page',
      payments: [payment],
      transfers: 3,
      unreadable: 0,
      next: 4,
    });
  });

  it.each(['merchant-to-organization-settlement', 'Merchant-to-Organisation-Settlement'])(
    'reads a settlement (%s) as a sweep, and never as a payment (SWEEP-1)',
    (transactiontype) => {
      const swept = {
        ...entry,
        transactiontype,
        amount: '37,600.00',
        billreference: '',
        trxDate: '2026-11-20T12:00:00+03:00',
      };
      const unreadable = { ...swept, amount: '' };
      const sweep = {
        receipt: 'YZLYRESRG1',
        amountMinor: 3_760_000n,
        currency: 'KES',
        paidAt: '2026-11-20T09:00:00.000Z',
      };
      const told = readPulled(200, page([swept, unreadable, entry]), 0);
      expect(told).toEqual({
        kind: 'page',
        payments: [payment],
        sweeps: [sweep],
        unreadable: 1,
        next: 3,
      });
    },
  );

  it('marks the time of a sweep whose zone is not certain', () => {
    const swept = { ...entry, transactiontype: 'merchant-to-organization-settlement' };
    expect(readPulled(200, page([swept]), 0)).toMatchObject({
      sweeps: [{ isZoneUncertain: true }],
      payments: [],
    });
  });

  it('reads amounts with separators of thousands', () => {
    const told = readPulled(200, page([{ ...entry, amount: '37,600.00' }]), 0);
    expect(told).toMatchObject({ payments: [{ amountMinor: 3_760_000n }], unreadable: 0 });
  });

  const nothing = { kind: 'nothing_told' };
  it.each<[string, number, object]>([
    ['code 1001', 200, { ResponseCode: '1001', ResponseMessage: 'No records found' }],
    ['code 1001 with a list', 200, { ResponseCode: '1001', Response: [[]] }],
    ['code 1001 with an error’s status', 500, { ResponseCode: '1001' }],
    ['a server error in the rail’s own words', 500, { errorCode: '500.001.1001' }],
  ])('reports nothing of the day with %s', (_what, status, body) => {
    expect(readPulled(status, JSON.stringify(body), 0)).toEqual(nothing);
  });

  it.each([
    ['[[]]', { kind: 'page', payments: [], unreadable: 0 }],
    [[], { kind: 'page', payments: [], unreadable: 0 }],
    ['[[1]]', { kind: 'unanswered' }],
  ])('reads code 1000 with %s', (told, read) => {
    const body = JSON.stringify({ ResponseCode: '1000', Response: told });
    expect(readPulled(200, body, 0)).toEqual(read);
  });

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
