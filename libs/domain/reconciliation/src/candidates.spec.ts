import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { withCandidates } from './candidates.js';
import { type Finding } from './finding.js';
import { judgeRest } from './judge-rest.js';
import { type LedgerItem, type StatementLine } from './statement.js';

const noon = Date.UTC(2026, 10, 20, 9);
const hour = 3_600_000;
const party = '2547*****678';

const wentOut = (of: Partial<StatementLine> = {}): StatementLine => ({
  line: 7,
  receipt: 'TKL0000001',
  kind: 'payment_out',
  completed: true,
  atMs: noon,
  ofDay: true,
  amountMinor: -4_000n,
  party,
  ...of,
});

const payout = (of: Partial<LedgerItem> = {}): LedgerItem => ({
  id: 'payout-demo:m-1:P-1',
  type: 'payout',
  whose: 'own',
  reference: 'P-1',
  state: 'pending',
  amountMinor: -4_000n,
  feeMinor: 60n,
  ofDay: false,
  atMs: noon - 2 * hour,
  isGiven: true,
  receipts: [],
  party,
  ...of,
});

const collection = (of: Partial<LedgerItem> = {}): LedgerItem => {
  const { isGiven: _isGiven, ...rest } = payout({ amountMinor: 4_000n, ...of });
  return { ...rest, id: `collection-demo:m-1:${of.reference ?? 'C-1'}`, type: 'collection' };
};

const missing = (line: StatementLine): Finding => ({ name: 'missing_here', line });
const named = (line: StatementLine, ...items: readonly LedgerItem[]) =>
  withCandidates([missing(line)], items)[0];

describe('a payout matched by amount, number and time', () => {
  it('belongs to the line by the time the rail received it, however long it had waited', () => {
    const given = payout({ atMs: noon - 60_000 });
    expect(judgeRest([wentOut()], [], [given])).toEqual([
      { name: 'missing_here', line: wentOut(), about: given, by: 'amount' },
    ]);
  });

  it('never belongs to the line if the rail did not receive it', () => {
    const { isGiven: _isGiven, ...waiting } = payout({ atMs: noon });
    expect(judgeRest([wentOut()], [], [waiting])).toEqual([missing(wentOut())]);
  });
});

describe('a line without an owner', () => {
  it('names the open payout of its amount and number, regardless of when the rail received it', () => {
    expect(named(wentOut(), payout())).toEqual({
      ...missing(wentOut()),
      candidates: [payout()],
    });
  });

  it.each<[string, Partial<LedgerItem>, Partial<StatementLine>]>([
    ['waits for people', { isGiven: undefined } as unknown as Partial<LedgerItem>, {}],
    ['was declined', { state: 'failed' }, {}],
    ['was posted without a receipt', { state: 'posted' }, {}],
    ['has a number that the line does not tell', {}, { party: undefined } as never],
  ])('names a payout that %s', (_what, of, line) => {
    expect(named(wentOut(line), payout(of))?.candidates).toHaveLength(1);
  });

  it.each<[string, Partial<LedgerItem>, Partial<StatementLine>]>([
    ['of another amount', { amountMinor: -4_001n }, {}],
    ['to another number', { party: '2547*****679' }, {}],
    ['that was asked for afterwards', { atMs: noon + hour }, {}],
    ['with a receipt of its own', { receipt: 'TKL0000002' }, {}],
    ['that went the other way', {}, { amountMinor: 4_000n, kind: 'payment_in' }],
    [
      'that ended and has only its amount in common',
      { state: 'failed' },
      { party: undefined } as never,
    ],
  ])('names no payout %s', (_what, of, line) => {
    expect(named(wentOut(line), payout(of))).toEqual(missing(wentOut(line)));
  });

  it('names what it may have reversed', () => {
    const cameBack = wentOut({ kind: 'reversal', amountMinor: 4_000n });
    expect(named(cameBack, payout())?.candidates).toHaveLength(1);
    expect(named(cameBack, collection())?.candidates).toBeUndefined();
  });

  it('names both of two collections that fit it; the unmatched one may be its payment', () => {
    const cameIn = wentOut({ kind: 'payment_in', amountMinor: 4_000n });
    const [one, other] = [
      collection({ state: 'posted', ofDay: true, reference: 'C-1' }),
      collection({ state: 'posted', ofDay: true, reference: 'C-2', atMs: noon }),
    ];
    const alone: Finding = { name: 'missing_there', item: one };
    const [found, ofItem] = withCandidates([missing(cameIn), alone], [one, other]);
    expect(found?.candidates?.map(({ reference }) => reference)).toEqual(['C-2', 'C-1']);
    expect(ofItem).toEqual({ ...alone, mayBeShown: true });
  });

  it('reports that another merchant has an item for it, and nothing more', () => {
    const theirs = payout({ whose: 'other_merchant' });
    expect(named(wentOut(), theirs)).toEqual({ ...missing(wentOut()), mayBeOthers: true });
  });
});

describe('any lines and items', () => {
  const amounts = fc.constantFrom(-4_000n, -5_000n);
  const parties = fc.constantFrom(party, '2547*****111', undefined);
  const anyLine = fc.record({ amountMinor: amounts, party: parties }).map((of): StatementLine => {
    const { party: _party, ...line } = wentOut({ amountMinor: of.amountMinor });
    return of.party === undefined ? line : { ...line, party: of.party };
  });
  const anyPayout = fc
    .record({
      amountMinor: amounts,
      party: parties,
      whose: fc.constantFrom<LedgerItem['whose']>('own', 'other_account', 'other_merchant'),
      waitedMs: fc.integer({ min: -hour, max: 200 * hour }),
    })
    .map(({ waitedMs, party: of, ...rest }): LedgerItem => {
      const { party: _party, ...item } = payout({ ...rest, atMs: noon - waitedMs });
      return of === undefined ? item : { ...item, party: of };
    });

  it('a line that an open payout of its amount and number may explain always has a candidate', () => {
    fc.assert(
      fc.property(fc.array(anyLine), fc.array(anyPayout), (lines, payouts) => {
        for (const found of withCandidates(lines.map(missing), payouts)) {
          const { line, candidates = [], mayBeOthers = false } = found;
          const explains = payouts.some(
            (of) =>
              of.amountMinor === line?.amountMinor &&
              (of.party === undefined || line.party === undefined || of.party === line.party) &&
              of.atMs <= noon,
          );
          if (explains) expect(candidates.length > 0 || mayBeOthers).toBe(true);
          expect(candidates.every(({ whose }) => whose !== 'other_merchant')).toBe(true);
        }
      }),
    );
  });
});
