import { describe, expect, it } from '@jest/globals';
import { Clock, instantFromMs, type Mode } from '#domain/kernel';
import { type TakenAnswer, type TakenPayment } from '../rail-adapter.js';
import { PaymentListRails } from './payment-list-rails.js';
import { type TakenPayments } from './taken-payments.js';
import { type DueDay, type TakenDays, type UnmatchedPayment } from './taken-days.js';
import { TakenWindow } from './taken-window.js';

const hour = 3_600_000;
const nowMs = Date.UTC(2026, 10, 21, 12);
/** 23:50 of 20 November in Nairobi. */
const beforeMidnightMs = Date.UTC(2026, 10, 20, 20, 50);
const midnightMs = Date.UTC(2026, 10, 20, 21);

class At extends Clock {
  override nowMs = (): number => nowMs;
}

type Asked = Parameters<PaymentListRails['ask']>[1];

const payment = (receipt: string): TakenPayment => ({
  receipt,
  amountMinor: 100n,
  paidAt: instantFromMs(midnightMs),
});
const page = (receipts: readonly string[], next?: number): TakenAnswer => ({
  kind: 'page',
  payments: receipts.map(payment),
  unreadable: 0,
  ...(next !== undefined && { next }),
});

/** A window over a rail that answers each question in turn, and a ledger that has the receipts that begin with K. */
function windowOver(answers: readonly TakenAnswer[]) {
  const asked: Asked[] = [];
  const kept: (readonly [string, readonly string[]])[] = [];
  const judged: DueDay[] = [];
  const left = [...answers];
  const rails = new PaymentListRails([
    {
      channel: 'mpesa',
      paymentLists: {
        timezone: 'Africa/Nairobi',
        lookBackMs: (mode: Mode) => (mode === 'demo' ? 48 * hour : undefined),
        ask: (_mode, { fromMs, untilMs, offset }) => {
          asked.push({ fromMs, untilMs, offset });
          return Promise.resolve(left.shift() ?? ({ kind: 'unanswered' } as const));
        },
      },
    },
  ]);
  const payments: Pick<TakenPayments, 'judge'> = {
    judge: (day, { payments: found }) => {
      judged.push(day);
      const left = found.filter(({ receipt }) => !receipt.startsWith('K'));
      const unmatched = left.map((each) => ({ ...each, why: 'nobody_asked' as const }));
      return Promise.resolve({ unmatched, recorded: 0 });
    },
  };
  const days: Pick<TakenDays, 'keep'> = {
    keep: ({ day }, unmatched: readonly UnmatchedPayment[]) => {
      kept.push([day, unmatched.map(({ receipt }) => receipt)]);
      return Promise.resolve();
    },
  };
  const over = new TakenWindow(rails, payments as TakenPayments, days as TakenDays, new At());
  const compare = (fromMs: number, untilMs: number, mode: Mode = 'demo') =>
    over.compare({ mode, fromMs, untilMs });
  return { compare, asked, kept, judged };
}

describe('a time range of a rail', () => {
  it('is asked about page by page, and by the rail’s days, in whole seconds', async () => {
    const { compare, asked, kept, judged } = windowOver([
      page(['K1', 'N1'], 2),
      page([]),
      page(['N2'], 1),
      page([]),
    ]);
    const found = await compare(beforeMidnightMs + 300, midnightMs + 1500);
    expect(found).toMatchObject({
      ok: true,
      value: { payments: 3, unreadable: 0, untoldDays: [], toldUntilMs: midnightMs + 1500 },
    });
    expect(found.ok && found.value.unmatched.map(({ receipt }) => receipt)).toEqual(['N1', 'N2']);
    expect(asked).toEqual([
      { fromMs: beforeMidnightMs, untilMs: midnightMs, offset: 0 },
      { fromMs: beforeMidnightMs, untilMs: midnightMs, offset: 2 },
      { fromMs: midnightMs, untilMs: midnightMs + 2000, offset: 0 },
      { fromMs: midnightMs, untilMs: midnightMs + 2000, offset: 1 },
    ]);
    expect(kept.filter(([, receipts]) => receipts.length > 0)).toEqual([
      ['2026-11-20', ['N1']],
      ['2026-11-21', ['N2']],
    ]);
    expect(judged.at(-1)).toMatchObject({ day: '2026-11-21', dayEndsMs: midnightMs + 24 * hour });
  });

  it('without a payment is not said to be quiet', async () => {
    for (const answer of [{ kind: 'nothing_told' } as const, page([])]) {
      const found = await windowOver([answer]).compare(midnightMs, midnightMs + hour);
      expect(found).toMatchObject({
        ok: true,
        value: { payments: 0, untoldDays: ['2026-11-21'], toldUntilMs: midnightMs },
      });
    }
  });

  it('ends with the last day of which the rail names payments', async () => {
    const nothing = { kind: 'nothing_told' } as const;
    const untilMs = midnightMs + hour;
    const first = windowOver([page(['K1'], 1), page([]), nothing]);
    expect(await first.compare(beforeMidnightMs, untilMs)).toMatchObject({
      value: { untoldDays: ['2026-11-21'], toldUntilMs: midnightMs },
    });
    const second = windowOver([nothing, page(['K1'], 1), page([])]);
    expect(await second.compare(beforeMidnightMs, untilMs)).toMatchObject({
      value: { untoldDays: ['2026-11-20'], toldUntilMs: untilMs },
    });
  });

  it('ends with the repeated page if the rail ignores offsets', async () => {
    const { compare, kept } = windowOver([page(['N1'], 1), page(['N1'], 2)]);
    expect(await compare(midnightMs, midnightMs + hour)).toMatchObject({
      ok: true,
      value: { payments: 1 },
    });
    expect(kept).toHaveLength(1);
    const illegible = { kind: 'page', payments: [], unreadable: 2 } as const;
    const unread = windowOver([
      { ...illegible, next: 2 },
      { ...illegible, next: 4 },
    ]);
    expect(await unread.compare(midnightMs, midnightMs + hour)).toMatchObject({
      ok: true,
      value: { payments: 0, unreadable: 2 },
    });
  });

  it.each([
    ['not_answered', [], midnightMs, 'demo'],
    ['not_answered', [page(['N1'], 1), { kind: 'not_asked' }], midnightMs, 'demo'],
    // Not the end of the list: that is an empty page.
    ['not_answered', [page(['N1'], 1), { kind: 'nothing_told' }], midnightMs, 'demo'],
    ['forgotten', [], nowMs - 48 * hour - 1, 'demo'],
    ['not_listed', [], midnightMs, 'live'],
  ] as const)('is refused as %s', async (refusal, answers, fromMs, mode) => {
    const found = await windowOver(answers).compare(fromMs, midnightMs + hour, mode);
    expect(found).toEqual({ ok: false, refusal });
  });
});
