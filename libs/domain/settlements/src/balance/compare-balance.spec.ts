import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { instantFromMs } from '#domain/kernel';
import { type BalanceFigures, compareBalance, isRepeated } from './compare-balance.decide.js';
import { type RailBalanceEvent } from './rail-balance.events.js';

const at = (text: string) => instantFromMs(Date.parse(text));

const account = (amountMinor: bigint, isHeld = true) => ({
  shortCode: '600100',
  name: isHeld ? 'Working Account' : 'Organization Settlement Account',
  amountMinor,
  isHeld,
});

const figures = (of: Partial<BalanceFigures> = {}): BalanceFigures => ({
  channel: 'mpesa',
  mode: 'demo',
  currency: 'KES',
  asOf: at('2026-11-20T21:10:03Z'),
  accounts: [account(10_000n), account(99_000n, false)],
  ledgerMinor: 10_000n,
  unpostedMinor: 0n,
  inFlightMinor: 0n,
  position: '7',
  ...of,
});

/** An earlier comparison that accepted a difference of `openingMinor`. */
const after = (openingMinor: bigint, of: Partial<BalanceFigures> = {}): RailBalanceEvent => {
  const first = compareBalance(figures(of), undefined);
  return { ...first, data: { ...first.data, openingMinor } };
};

describe('a comparison of the rail’s balance', () => {
  it('takes the first difference for the opening, and counts no money on its way to the bank', () => {
    const { data } = compareBalance(figures({ ledgerMinor: 4_000n }), undefined);
    expect(data).toMatchObject({
      heldMinor: 10_000n,
      openingMinor: 6_000n,
      differenceMinor: 0n,
      outcome: 'opening',
    });
    expect(compareBalance(figures({ ledgerMinor: 4_000n }), after(6_000n)).data).toMatchObject({
      openingMinor: 6_000n,
      differenceMinor: 0n,
      outcome: 'agrees',
    });
  });

  it.each<[string, Partial<BalanceFigures>, bigint, string]>([
    ['agrees to the cent', {}, 0n, 'agrees'],
    ['differs by a cent', { ledgerMinor: 9_999n }, 1n, 'differs'],
    ['is explained', { ledgerMinor: 7_000n, unpostedMinor: 3_000n }, 0n, 'explained'],
    ['differs', { ledgerMinor: 7_000n, unpostedMinor: 2_999n }, 1n, 'differs'],
    ['may be in flight', { ledgerMinor: 12_000n, inFlightMinor: 2_000n }, -2_000n, 'in_flight'],
    ['is more than in flight', { ledgerMinor: 12_001n, inFlightMinor: 2_000n }, -2_001n, 'differs'],
    // A payout takes money; it never brings any.
    ['differs', { ledgerMinor: 9_000n, inFlightMinor: 2_000n }, 1_000n, 'differs'],
  ])('%s (%j)', (_what, of, differenceMinor, outcome) => {
    expect(compareBalance(figures(of), after(0n)).data).toMatchObject({ differenceMinor, outcome });
  });

  it('adds up for any figures', () => {
    const minor = fc.bigInt(-(10n ** 12n), 10n ** 12n);
    const any = fc.tuple(minor, minor, minor, fc.bigInt(0n, 10n ** 12n));
    fc.assert(
      fc.property(any, ([held, ledgerMinor, opening, unpostedMinor]) => {
        const of = figures({ accounts: [account(held)], ledgerMinor, unpostedMinor });
        const { data } = compareBalance(of, after(opening));
        expect(data.heldMinor).toBe(
          data.ledgerMinor + data.openingMinor + data.unpostedMinor + data.differenceMinor,
        );
      }),
    );
  });

  it('is repeated if an open difference stays the same on the same day', () => {
    const short = { ledgerMinor: 10_330n };
    const last = compareBalance(figures(short), after(0n));
    const again = (of: Partial<BalanceFigures>) =>
      isRepeated(compareBalance(figures({ ...short, ...of }), last), last);
    expect(again({ asOf: at('2026-11-21T16:00:00Z') })).toBe(true);
    expect(again({ asOf: at('2026-11-21T21:10:03Z') })).toBe(false);
    expect(again({ ledgerMinor: 10_331n })).toBe(false);
    // It agrees once a day, and each of these is recorded.
    const agreed = compareBalance(figures(), after(0n));
    expect(isRepeated(compareBalance(figures(), agreed), agreed)).toBe(false);
    expect(isRepeated(last, undefined)).toBe(false);
  });
});
