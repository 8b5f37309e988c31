import { describe, expect, it } from '@jest/globals';
import { type InboxRow } from '#records/rails';
import { asJson, callbackLines, type Listed } from './list.js';

const at = new Date('2026-11-22T12:00:00.000Z');
const row: InboxRow = {
  id: 'c-1',
  stream: 'payout-live:m:PAY-7',
  sourceAddress: '196.201.214.200',
  trusted: true,
  receivedAt: at,
  attempts: 1,
  nextAttemptAt: at,
  appliedAt: at,
  outcome: 'left_for_review: paid_unsent',
  told: true,
  toldReceipt: 'NLJ7RT61SV',
  toldMinor: 123_456n,
  toldPaidAt: new Date('2026-11-19T03:04:05.000Z'),
};
const nothing = { told: true, toldReceipt: null, toldMinor: null, toldPaidAt: null };
const reviews: Listed = {
  reviews: [],
  more: false,
  asOf: '2026-11-22T12:00:00.000Z' as Listed['asOf'],
};

describe('a payment out that the rail reported and no item accounts for', () => {
  it('is listed with its receipt, amount and time, beside the payout that it names', () => {
    const lines = callbackLines({ rows: [row], more: false });
    expect(lines.at(-1)).toMatch(/PAY-7 +live +m +NLJ7RT61SV, .*1,?234\.56.*, 2026-11-19T03:04:05/);
    expect(asJson(reviews, { rows: [row], more: false })).toMatchObject({
      callbacks: [
        {
          reference: 'PAY-7',
          payment: {
            receipt: 'NLJ7RT61SV',
            amount_minor: 123_456n,
            paid_at: '2026-11-19T03:04:05.000Z',
          },
        },
      ],
    });
  });

  it('is listed with a note for each field that the rail left out', () => {
    const lines = callbackLines({ rows: [{ ...row, ...nothing }], more: false });
    expect(lines.at(-1)).toMatch(/no receipt, an unreadable amount, at an unknown time$/);
  });

  it('is empty for a callback that reports no payment', () => {
    const rows = [{ ...row, ...nothing, told: false }];
    expect(callbackLines({ rows, more: false }).at(-1)).toMatch(/ -$/);
    expect(asJson(reviews, { rows, more: false })).toMatchObject({
      callbacks: [{ payment: null }],
    });
  });

  it('names the command that ends it, and the sender if it is not the rail', () => {
    const text = callbackLines({ rows: [row], more: false }).join('\n');
    expect(text).toContain('npx pesapost review dismiss ID');
    expect(text).toMatch(/^ +c-1 /m);
    const foreign = { ...row, trusted: false };
    const lines = callbackLines({ rows: [foreign], more: false });
    expect(lines.join('\n')).not.toContain('dismiss');
    expect(lines.at(-1)).toMatch(/, not by the rail itself$/);
    expect(asJson(reviews, { rows: [foreign], more: false })).toMatchObject({
      callbacks: [{ from_rail: false }],
    });
  });
});
