import { describe, expect, it } from '@jest/globals';
import { instantFromMs } from '#domain/kernel';
import { foreignMarkup, hostile } from '#testing';
import { type ItemReceipt, type TransactionItem } from '#views/transactions';
import { type Place } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { type ReceiptModel, receiptPage } from './receipt-page.js';

const at = instantFromMs(Date.UTC(2026, 10, 21, 22, 30, 5));
const place: Place = {
  merchantId: 'm-1',
  mode: 'demo',
  name: 'Duka la Asha',
  timezone: 'Africa/Nairobi',
  accounts: [],
  base: '/portal/merchants/m-1/demo',
};
const item: TransactionItem = {
  type: 'collection',
  reference: 'INV-1',
  status: 'completed',
  currency: 'KES',
  amount_minor: 123_450n,
  fee_minor: 1_852n,
  id: '01a1fbba-5634-76de-a5c4-550311b90a35',
  account_no: '100000001',
  channel: 'mpesa',
  rail_reference: 'ws_CO_1',
  receipt: 'TKL33D3MJ7',
  failure_code: null,
  under_review: false,
  created_at: at,
  completed_at: at,
  paid_at: at,
  paid_at_known: true,
};
const hash = '3fa9c2d41b7e'.padEnd(64, '0');
const proof = {
  item,
  postings: [{ leaf_hash: hash, proof: null }],
  head: null,
} as unknown as ItemReceipt;
const model: ReceiptModel = {
  place,
  clock: { timezone: place.timezone, today: '2026-11-23', language: 'en' },
  item,
  phone: '2547*****678',
  proof,
};
const textOf = (more: Partial<ReceiptModel> = {}, language: 'en' | 'sw' = 'en'): string =>
  receiptPage({ ...model, ...more }, merchantTexts({ language })).text;

describe('a receipt', () => {
  it('has the shop, the amount, the payer, both references, the exact time with its zone and the mode', () => {
    const text = textOf();
    for (const shown of [
      ...['Duka la Asha', 'KES 1,234.50', 'Paid', '2547*****678', 'INV-1', 'TKL33D3MJ7'],
      ...['22 Nov 2026, 01:30:05', '> EAT', 'Demo: no real money'],
    ])
      expect(text).toContain(shown);
  });

  it('has the beginning of its entry’s hash and the day of the seal, and never the whole hash', () => {
    expect(textOf()).toContain('Entry 3fa9c2d41b7e, not sealed yet');
    const sealed = {
      ...proof,
      postings: [{ leaf_hash: hash, proof: {} }],
      head: { head: { date: '2026-11-22' } },
    } as unknown as ItemReceipt;
    expect(textOf({ proof: sealed })).toContain('Entry 3fa9c2d41b7e, sealed on 22 Nov 2026');
    expect(textOf()).not.toContain(hash);
  });

  it('says that its proof is not available while the records cannot answer', () => {
    expect(textOf({ proof: undefined })).toContain('Not available right now');
  });

  it('names the receiver of a payout, and the time of the posting if M-Pesa gave none', () => {
    const payout = { ...item, type: 'payout', paid_at: null } as const;
    const text = textOf({ item: payout });
    expect(text).toContain('Paid to');
    expect(text).toContain('22 Nov 2026, 01:30:05');
  });

  it('is live in words, and in Swahili', () => {
    expect(textOf({ place: { ...place, mode: 'live' } }, 'sw')).toContain('Halisi: pesa halisi');
  });

  it('shows what others wrote as text', () => {
    const named = { place: { ...place, name: hostile }, item: { ...item, reference: hostile } };
    expect(foreignMarkup(textOf(named))).toEqual([]);
  });
});
