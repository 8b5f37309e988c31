import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { instantFromMs } from '#domain/kernel';
import { type DayFigure } from '#views/day-figures';
import { foreignMarkup, hostile } from '#testing';
import { type Place } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { changeOf, daysUntil, homeFigures, rateOf } from './home-figures.js';
import { homePage, type HomeModel } from './home-page.js';
import { homeTextsOf } from './home-texts-of.js';

const days = daysUntil('2026-03-01', 60);
const at = instantFromMs(Date.UTC(2026, 2, 1));
const place: Place = {
  merchantId: 'm-1',
  mode: 'live',
  name: hostile,
  timezone: 'Africa/Nairobi',
  accounts: [{ accountNo: hostile, currency: 'KES', channels: ['mpesa'] }],
  base: '/portal/merchants/m-1/live',
};

const clock = { timezone: place.timezone, today: '2026-04-29', language: 'en' } as const;

function figure(day: string, changed: Partial<DayFigure> = {}): DayFigure {
  const of = { type: 'collection', status: 'completed', currency: 'KES' } as const;
  return { day, ...of, count: 1n, amountMinor: 100n, feeMinor: 2n, ...changed };
}

function model(figures: readonly DayFigure[]): HomeModel {
  const balance = {
    accountNo: hostile,
    currency: 'KES',
    postedMinor: 900n,
    reservedMinor: 200n,
    availableMinor: 700n,
    position: 1n,
    asOf: at,
  };
  const closing = days
    .slice(-30)
    .map((day) => ({ day, closingMinor: -5n, creditsMinor: 0n, debitsMinor: 0n }));
  return {
    place,
    clock,
    ending: [{ holder: hostile, kind: 'v4', days: 3 }],
    failing: [
      {
        merchantId: 'm-1',
        mode: 'live',
        kind: 'v4',
        failures: 4,
        failingSince: null,
        lastSuccessAt: null,
      },
    ],
    shown: {
      figures: [{ currency: 'KES', ...homeFigures(figures, days, 'KES') }],
      reasons: [{ ...figure('', { status: 'failed' }), failureCode: hostile, count: 3n }],
      approvals: 2n,
      reviews: 1n,
      balances: [{ balance, closing: { currency: 'KES', days: closing, position: 1n, asOf: at } }],
      latest: [],
      phones: new Map(),
    },
  };
}

const latestItem = {
  type: 'collection',
  reference: 'INV-1',
  currency: 'KES',
  amount_minor: 123_450n,
  fee_minor: 1_852n,
  id: '01a1fbba-5634-76de-a5c4-550311b90a35',
  account_no: '100000001',
  channel: 'mpesa',
  rail_reference: null,
  receipt: null,
  failure_code: null,
  created_at: at,
  completed_at: null,
  paid_at: null,
  paid_at_known: false,
} as const;

const shownIn = (language: 'en' | 'sw', of: HomeModel): string =>
  homePage(of, { home: homeTextsOf({ language }), merchant: merchantTexts({ language }) }).text;

describe('the days of the page', () => {
  it('end with the last one, across a month and a leap day', () => {
    expect(daysUntil('2024-03-01', 3)).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
    expect(days).toHaveLength(60);
  });
});

describe('the figures', () => {
  it('separate this period from the one before, by the first and last day of each', () => {
    const [first = '', lastBefore = '', firstNow = '', last = ''] = [
      days[0],
      days[29],
      days[30],
      days[59],
    ];
    const { now, before } = homeFigures(
      [
        figure(first),
        figure(lastBefore),
        figure(firstNow, { amountMinor: 7n }),
        figure(last, { amountMinor: 30n }),
      ],
      days,
      'KES',
    );
    expect([before.collectedMinor, now.collectedMinor]).toEqual([200n, 37n]);
  });

  it('keep payouts, other currencies and unfinished items apart', () => {
    const day = days.at(-1) ?? '';
    const { now, days: shown } = homeFigures(
      [
        figure(day),
        figure(day, { type: 'payout', amountMinor: 40n }),
        figure(day, { currency: 'UGX', amountMinor: 9_000n }),
        figure(day, { status: 'pending', count: 5n }),
        figure(day, { status: 'failed', count: 2n }),
        figure(day, { type: 'payout', status: 'rejected' }),
      ],
      days,
      'KES',
    );
    expect(now).toEqual({
      collectedMinor: 100n,
      collectedCount: 1n,
      paidOutMinor: 40n,
      paidOutCount: 1n,
      completed: 1n,
      finished: 3n,
    });
    expect(shown.at(-1)).toEqual({
      day,
      collectedMinor: 100n,
      paidOutMinor: 40n,
      paidOutCount: 1n,
      completed: 1,
      failed: 2,
      pending: 5,
    });
  });

  it('equal the sums of their days, for any values', () => {
    const any = fc.record({
      day: fc.constantFrom(...days),
      type: fc.constantFrom('collection', 'payout'),
      status: fc.constantFrom('completed', 'failed', 'pending'),
      amountMinor: fc.bigInt(0n, 10n ** 15n),
    });
    fc.assert(
      fc.property(fc.array(any), (given) => {
        const figures = given.map(({ day, ...of }) => figure(day, of as Partial<DayFigure>));
        const { now, days: shown } = homeFigures(figures, days, 'KES');
        const sum = shown.reduce((total, { collectedMinor }) => total + collectedMinor, 0n);
        expect(now.collectedMinor).toBe(sum);
        expect(now.finished).toBe(
          shown.reduce((total, { completed, failed }) => total + BigInt(completed + failed), 0n),
        );
      }),
    );
  });

  it('have a rate only from 20 finished items on', () => {
    expect(rateOf({ completed: 11n, finished: 19n })).toBeUndefined();
    expect(rateOf({ completed: 15n, finished: 20n })).toBe(750);
    expect(rateOf({ completed: 2n, finished: 3_000n })).toBe(1);
  });

  it('have a change only if there is something to compare with', () => {
    expect([changeOf(150n, 100n), changeOf(50n, 100n), changeOf(5n, 0n)]).toEqual([
      50n,
      -50n,
      undefined,
    ]);
  });
});

describe('the home page', () => {
  it.each(['en', 'sw'] as const)('shows nothing that others wrote as markup: %s', (language) => {
    const text = shownIn(language, model([figure(days.at(-1) ?? '')]));
    expect(foreignMarkup(text)).toEqual([]);
    expect(text).not.toMatch(/undefined|NaN/);
  });

  it('leads to the work that waits, and says when there is none', () => {
    const busy = model([]);
    const text = shownIn('en', busy);
    expect(text).toContain('2 payouts need approval');
    expect(text).toContain('1 payment is in review');
    expect(text).toContain('failed 4 times in a row');
    expect(text).toContain('expires in 3 days</a>');
    const ended = { holder: 'till', kind: 'v4', days: 0 } as const;
    expect(shownIn('en', { ...busy, ending: [ended] })).toContain(
      'The API key of till has expired',
    );
    const { shown, ...rest } = busy;
    const quiet = {
      ...rest,
      failing: [],
      ending: [],
      shown: shown && { ...shown, approvals: 0n, reviews: 0n },
    };
    expect(shownIn('en', quiet)).toContain('Nothing needs your attention.');
  });

  it('says a rate of few as two numbers, and what is reserved', () => {
    const day = days.at(-1) ?? '';
    const text = shownIn(
      'en',
      model([figure(day, { count: 11n }), figure(day, { status: 'failed', count: 3n })]),
    );
    expect(text).toContain('11 of 14');
    expect(text).not.toContain(' %');
    expect(text).toContain('KES 2.00 reserved for payouts');
  });

  it('begins with today and yesterday, each with what was collected, paid out and how often', () => {
    const [yesterday = '', today = ''] = days.slice(-2);
    const text = shownIn(
      'en',
      model([
        figure(today, { amountMinor: 1_200n, count: 3n }),
        figure(today, { type: 'payout', amountMinor: 4_000n }),
        figure(yesterday, { amountMinor: 55n }),
      ]),
    ).replaceAll(/\s+/g, ' ');
    const [, first = '', second = ''] = text.split('class="tile"');
    for (const part of [
      ...['Collected today', 'KES 12.00', '3 payments', 'KES 40.00 paid out in 1 payout'],
      `transactions?from=${today}&amp;to=${today}"`,
    ])
      expect(first).toContain(part);
    for (const part of [
      ...['Collected yesterday', 'KES 0.55', '1 payment<', 'Nothing paid out'],
      `transactions?from=${yesterday}&amp;to=${yesterday}"`,
    ])
      expect(second).toContain(part);
  });

  it('says that there were no earlier payments, or the change', () => {
    const day = days.at(-1) ?? '';
    expect(shownIn('en', model([figure(day)]))).toContain('No earlier payments');
    const grown = model([figure(day, { amountMinor: 150n }), figure(days[0] ?? '')]);
    expect(shownIn('en', grown)).toContain('50 % more than in the 30 days before');
  });

  it('shows the latest items as rows of the list, before the charts', () => {
    const given = model([figure(days.at(-1) ?? '')]);
    const item = { ...latestItem, under_review: true, status: 'pending' } as const;
    const phones = new Map([[item.id, '2547*****678']]);
    const shown = given.shown && { ...given.shown, latest: [item], phones };
    const text = shownIn('en', { ...given, shown });
    for (const part of [
      'class="amount-cell"',
      '2547*****678',
      'In review',
      '/items/collection/INV-1',
    ])
      expect(text).toContain(part);
    const order = ['class="tile"', 'INV-1', 'class="charts"'].map((part) => text.indexOf(part));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });

  it('is one box with the guide if the mode has no account', () => {
    const text = shownIn('en', { ...model([]), place: { ...place, accounts: [] } });
    expect(text).toContain('You are not live yet');
    expect(text).not.toContain('class="tile"');
  });

  it('says that the figures cannot be read while the views cannot answer', () => {
    expect(shownIn('en', { place, clock, shown: undefined, failing: [], ending: [] })).toContain(
      'cannot be read',
    );
  });
});
