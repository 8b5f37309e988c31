import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Finding, isOpen, Tallies } from './finding.js';
import { judgeReceipt } from './judge-receipt.js';
import { judgeRest } from './judge-rest.js';
import { excludedFinding } from './line-findings.js';
import { WaysBack } from './ways-back.js';
import { isHere, type LedgerItem, type LineKind, type StatementLine } from './statement.js';

const noon = Date.UTC(2026, 10, 20, 9);
const minute = 60_000;

const line = (of: Partial<StatementLine> = {}): StatementLine => ({
  line: 1,
  receipt: 'TKL0000001',
  kind: 'payment_in',
  completed: true,
  atMs: noon,
  ofDay: true,
  amountMinor: 25_000n,
  code: 'CODE00000001',
  party: '2547*****678',
  ...of,
});

/** A reversal of that line, under its own receipt. */
const back = (of: Partial<StatementLine> = {}): StatementLine => {
  const { code: _code, ...reversal } = line({
    kind: 'reversal',
    receipt: 'TKL0000009',
    linkedReceipt: 'TKL0000001',
    amountMinor: -25_000n,
    ...of,
  });
  return reversal;
};

const item = ({
  receipt = 'TKL0000001',
  ...of
}: Partial<LedgerItem> | { readonly receipt: undefined } = {}): LedgerItem => ({
  id: 'collection-demo:m-1:INV-1',
  type: 'collection',
  whose: 'own',
  reference: 'INV-1',
  state: 'posted',
  amountMinor: 25_000n,
  feeMinor: 375n,
  ofDay: true,
  atMs: noon,
  receipts: [receipt],
  receipt,
  code: 'CODE00000001',
  party: '2547*****678',
  ...of,
});

/** A payout that went out under the receipt of `back`. */
const refundItem = (of: Partial<LedgerItem>): LedgerItem => {
  const { code: _code, ...payout } = item({
    id: 'payout-demo:m-1:REFUND-1',
    type: 'payout',
    receipt: 'TKL0000009',
    receipts: ['TKL0000009'],
    amountMinor: -25_000n,
    feeMinor: 0n,
    ...of,
  });
  return payout;
};

/** An item without a known receipt, because a query or a person settled it. */
const unreceipted = (of: Partial<LedgerItem> = {}): LedgerItem => {
  const { receipt: _receipt, ...rest } = item(of);
  return { ...rest, receipts: [] };
};

/** Judges a whole statement in memory, as views/reconciliations judges it in parts. */
function reconcile(
  lines: readonly StatementLine[],
  items: readonly LedgerItem[],
  later: ReadonlySet<string> = new Set(),
): readonly Finding[] {
  const excluded = lines.flatMap((each) => excludedFinding(each) ?? []);
  const movements = lines.filter((each) => excludedFinding(each) === undefined);
  const judged = [...Map.groupBy(movements, ({ receipt }) => receipt)].map(([receipt, found]) =>
    judgeReceipt(
      found,
      items.filter(({ receipts }) => receipts.includes(receipt)),
    ),
  );
  const findings = judged.flatMap((each) => each.findings);
  const taken = new Set(findings.map((finding) => finding.item));
  const isDays = (each: LedgerItem): boolean =>
    each.whose === 'own' && each.ofDay && !taken.has(each);
  const rest = judgeRest(
    judged.flatMap(({ remaining }) => remaining),
    items.filter(isDays),
    items.filter((each) => !isDays(each)),
  );
  const found: Finding[] = [];
  const waysBack = new WaysBack((finding) => found.push(finding));
  for (const finding of [...excluded, ...findings, ...rest]) waysBack.take(finding);
  waysBack.end(later);
  return found;
}

const namesOf = (found: readonly Finding[]): readonly string[] =>
  found.map(({ name, by }) => (by === undefined ? name : `${name} by ${by}`)).toSorted();

const cases: readonly (readonly [
  string,
  readonly StatementLine[],
  readonly LedgerItem[],
  readonly string[],
])[] = [
  ['the same receipt and amount', [line()], [item()], ['matched by receipt']],
  ['no receipt here, the code that we gave', [line()], [unreceipted()], ['matched by code']],
  [
    'neither receipt nor code: amount, party and time',
    [line({ code: 'shop 4' })],
    [unreceipted({ code: 'CODE00000002' })],
    ['matched by amount'],
  ],
  [
    'amount, party and time of two payments are no choice',
    [line({ code: 'a' }), line({ code: 'b', receipt: 'TKL0000002' })],
    [unreceipted({ code: 'X' })],
    ['missing_here', 'missing_here', 'missing_there'],
  ],
  [
    'neither receipt nor code: amount, party and time of another merchant’s money',
    [line({ code: 'a' })],
    [unreceipted({ code: 'X', whose: 'other_merchant', ofDay: false })],
    ['other_merchant'],
  ],
  [
    'amount, party and time of what another merchant never got',
    [line({ code: 'a' })],
    [unreceipted({ code: 'X', whose: 'other_merchant', ofDay: false, state: 'failed' })],
    ['missing_here'],
  ],
  [
    'amount, party and time of two merchants’ money are no choice',
    [line({ code: 'a' })],
    [
      unreceipted({ code: 'X' }),
      unreceipted({ id: 'collection-demo:m-2:INV-1', code: 'Y', whose: 'other_merchant' }),
    ],
    ['missing_here', 'missing_there'],
  ],
  [
    'amount and party an hour apart are not enough',
    [line({ code: 'a' })],
    [unreceipted({ code: 'X', atMs: noon + 60 * minute })],
    ['missing_here', 'missing_there'],
  ],
  ['nothing here', [line()], [], ['missing_here']],
  ['nothing there', [], [item()], ['missing_there']],
  [
    'failed here, known by its code',
    [line()],
    [unreceipted({ state: 'failed', ofDay: false })],
    ['missing_here by code'],
  ],
  ['another amount', [line({ amountMinor: 25_001n })], [item()], ['amount_differs by receipt']],
  [
    'taken back twice: the ledger gave away as much as the rail brought',
    [line()],
    [item({ amountMinor: -25_000n })],
    ['amount_differs by receipt'],
  ],
  [
    'taken back twice, known by its code',
    [line()],
    [unreceipted({ amountMinor: -25_000n })],
    ['amount_differs by code'],
  ],
  [
    'a payout of which twice as much came back as went out',
    [line({ kind: 'payment_out', amountMinor: -25_000n })],
    [item({ type: 'payout', amountMinor: 25_000n })],
    ['amount_differs by receipt'],
  ],
  [
    'in suspense, the amount that arrived',
    [line({ amountMinor: 25_001n })],
    [item({ state: 'held', amountMinor: 25_001n })],
    ['in_suspense by receipt'],
  ],
  [
    'decided to go back from suspense, and no reversal is on the statement',
    [line()],
    [item({ state: 'returned' })],
    ['not_sent_back by receipt'],
  ],
  [
    'decided to go back, and only a part of it is reversed',
    [line(), back({ amountMinor: -24_000n })],
    [item({ state: 'returned' })],
    ['missing_here', 'not_sent_back by receipt'],
  ],
  [
    'sent back from suspense, by a reversal of another day in the file',
    [line(), back({ ofDay: false, atMs: noon + 1440 * minute })],
    [item({ state: 'returned' })],
    ['outside_day', 'refunded by receipt'],
  ],
  ['one line twice', [line(), line()], [item()], ['duplicate_there', 'matched by receipt']],
  [
    'one receipt on two items',
    [line()],
    [item(), item({ id: 'collection-demo:m-1:INV-2' })],
    ['duplicate_here', 'matched by receipt'],
  ],
  ...(['other_merchant', 'other_account'] as const).flatMap((whose): (typeof cases)[number][] => [
    [
      `one receipt on an own item and one of ${whose}, which holds its money`,
      [line()],
      [item({ id: 'collection-demo:m-1:INV-2' }), item({ whose })],
      ['duplicate_here', whose],
    ],
    [
      `one receipt on an own item, which holds its money, and one of ${whose}`,
      [line()],
      [item(), item({ id: 'collection-demo:m-2:INV-1', whose })],
      ['matched by receipt'],
    ],
    [
      `one receipt on an own item and one of ${whose} that holds nothing any more`,
      [line()],
      [
        item({ id: 'collection-demo:m-1:INV-2' }),
        item({ whose, amountMinor: 0n }),
        item({ whose, state: 'returned' }),
        item({ whose, state: 'failed' }),
      ],
      ['matched by receipt'],
    ],
  ]),
  [
    'the code was paid twice',
    [line(), line({ receipt: 'TKL0000002' })],
    [item()],
    ['matched by receipt', 'paid_twice'],
  ],
  [
    'the rail told a second receipt',
    [line(), line({ receipt: 'TKL0000002' })],
    [item({ receipts: ['TKL0000001', 'TKL0000002'] })],
    ['matched by receipt', 'paid_twice'],
  ],
  ['counted here on another day', [line()], [item({ ofDay: false })], ['other_day by receipt']],
  ['counted there on another day', [line({ ofDay: false })], [item()], ['other_day by receipt']],
  [
    'found on the neighbour’s statement before',
    [],
    [unreceipted({ reconciledOn: '2026-11-19' })],
    ['other_day'],
  ],
  ['a line of another day', [line({ ofDay: false })], [], ['outside_day']],
  ['another merchant’s', [line()], [item({ whose: 'other_merchant' })], ['other_merchant']],
  [
    'another account’s, by code',
    [line()],
    [unreceipted({ whose: 'other_account' })],
    ['other_account'],
  ],
  [
    'did not take place, though we posted it',
    [line({ completed: false })],
    [item()],
    ['missing_there', 'not_completed'],
  ],
  [
    'a charge under the payment’s receipt',
    [line(), line({ kind: 'charge', amountMinor: -500n })],
    [item()],
    ['charge', 'matched by receipt'],
  ],
  [
    'a reversal with its correction',
    [line(), line({ kind: 'reversal', receipt: 'TKL0000009', amountMinor: -25_000n })],
    [
      item(),
      item({
        id: 'correction-demo:1',
        type: 'correction',
        receipt: 'TKL0000009',
        receipts: ['TKL0000009'],
        amountMinor: -25_000n,
        ofDay: false,
        feeMinor: 0n,
      }),
    ],
    ['matched by receipt', 'matched by receipt'],
  ],
  [
    'a reversal that nobody corrected is not the payment’s duplicate',
    [line(), line({ kind: 'reversal', amountMinor: -25_000n })],
    [item()],
    ['matched by receipt', 'missing_here'],
  ],
  ...(['other_merchant', 'other_account'] as const).flatMap((whose): (typeof cases)[number][] => [
    [
      `a reversal of a payment of ${whose}, by the receipt it names`,
      [back()],
      [item({ whose })],
      [whose],
    ],
    [
      `a reversal of a payment of ${whose}, under the payment’s own receipt`,
      [line(), line({ kind: 'reversal', amountMinor: -25_000n })],
      [item({ whose })],
      [whose, whose],
    ],
    [
      `a reversal of a payment of ${whose}, by the code`,
      [line({ kind: 'reversal', amountMinor: -25_000n })],
      [unreceipted({ whose })],
      [whose],
    ],
  ]),
  [
    'a reversal of a payment of other_merchant, whose receipt nobody told',
    [line(), back()],
    [unreceipted({ whose: 'other_merchant' })],
    ['other_merchant', 'other_merchant'],
  ],
  ['a reversal whose payment nobody knows', [back()], [], ['missing_here']],
  [
    'a reversal of what was sent back from suspense',
    [line(), back()],
    [item({ state: 'returned' })],
    ['refunded', 'refunded by receipt'],
  ],
  [
    'a reversal, a day later, of what was sent back from suspense',
    [back()],
    [item({ state: 'returned', ofDay: false })],
    ['refunded'],
  ],
  [
    'a second reversal of what was sent back once',
    [back(), back({ receipt: 'TKL0000010' })],
    [item({ state: 'returned', ofDay: false })],
    ['missing_here', 'refunded'],
  ],
  [
    'a reversal of another amount than was sent back',
    [back({ amountMinor: -24_000n })],
    [item({ state: 'returned', ofDay: false })],
    ['missing_here'],
  ],
  [
    'a reversal of what still lies in suspense',
    [line(), back()],
    [item({ state: 'held' })],
    ['in_suspense by receipt', 'missing_here'],
  ],
  [
    'sent back from suspense, and never on the statement',
    [],
    [item({ state: 'returned' })],
    ['refunded'],
  ],
  [
    'sent back from suspense, and only the way back on the statement',
    [back()],
    [item({ state: 'returned' })],
    ['missing_there', 'refunded'],
  ],
  [
    'one receipt on two items, of which one was sent back',
    [line()],
    [item(), item({ id: 'collection-demo:m-1:INV-2', state: 'returned' })],
    ['matched by receipt', 'refunded'],
  ],
  [
    'sent back from suspense, but not what the statement shows',
    [line({ amountMinor: 250_000n })],
    [item({ state: 'returned' })],
    ['amount_differs by receipt'],
  ],
  [
    'a payout that came back, with its correction',
    [line({ kind: 'reversal', receipt: 'TKL0000009', amountMinor: 25_000n })],
    [
      item({
        id: 'correction-demo:1',
        type: 'correction',
        receipt: 'TKL0000009',
        receipts: ['TKL0000009'],
        ofDay: false,
        feeMinor: 0n,
      }),
    ],
    ['matched by receipt'],
  ],
  [
    'a correction of the other direction is not the reversal’s',
    [line({ kind: 'reversal', receipt: 'TKL0000009', amountMinor: 25_000n })],
    [
      item({
        id: 'correction-demo:1',
        type: 'correction',
        receipt: 'TKL0000009',
        receipts: ['TKL0000009'],
        amountMinor: -25_000n,
        ofDay: false,
        feeMinor: 0n,
      }),
    ],
    ['missing_here'],
  ],
  ...(['refund', 'payout'] as const).map((kind): (typeof cases)[number] => [
    `a payment and the ${kind} that reversed it`,
    [line(), back()],
    [item(), refundItem(kind === 'refund' ? { reverses: 'TKL0000001' } : {})],
    kind === 'refund'
      ? ['matched by receipt', 'matched by receipt']
      : ['matched by receipt', 'missing_here', 'missing_there'],
  ]),
  [
    'a reversal of a refund without an outcome is that refund’s, not the payment’s',
    [line(), back()],
    [item(), unreceipted(refundItem({ reverses: 'TKL0000001', state: 'pending', ofDay: false }))],
    ['matched by receipt', 'missing_here'],
  ],
  [
    'a payout by its receipt, and money in under its code is none',
    [line({ kind: 'payment_out', amountMinor: -25_000n }), line({ receipt: 'TKL0000002' })],
    [item({ type: 'payout', amountMinor: -25_000n })],
    ['matched by receipt', 'missing_here'],
  ],
];

describe('a line and an item', () => {
  it.each(cases)('%s', (_what, lines, items, expected) => {
    expect(namesOf(reconcile(lines, items))).toEqual(expected);
  });

  it('a reversal names the refund that waits for it', () => {
    const open = unreceipted(
      refundItem({ reverses: 'TKL0000001', state: 'pending', ofDay: false }),
    );
    const [, found] = reconcile([line(), back()], [item(), open]);
    expect(found).toMatchObject({ name: 'missing_here', about: { id: open.id } });
  });

  it('another merchant’s item appears in no finding', () => {
    const found = reconcile([line()], [item({ whose: 'other_merchant' })]);
    expect(found).toEqual([{ name: 'other_merchant', line: line() }]);
  });
});

const receipts = ['TKL0000001', 'TKL0000002', 'TKL0000003'] as const;
const codes = ['CODE00000001', 'CODE00000002', undefined] as const;
const parties = ['2547*****678', '2547*****001', undefined] as const;
const oneOf = <T>(...of: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...of);

const anyLine: fc.Arbitrary<StatementLine> = fc
  .record({
    receipt: oneOf(...receipts),
    kind: oneOf<LineKind>(
      'payment_in',
      'payment_in',
      'payment_out',
      'reversal',
      'charge',
      'transfer',
    ),
    completed: oneOf(true, true, true, false),
    ofDay: oneOf(true, true, true, false),
    atMs: oneOf(noon, noon + minute, noon + 30 * minute),
    amountMinor: oneOf(100n, 200n),
    code: oneOf(...codes),
    party: oneOf(...parties),
    linkedReceipt: oneOf(...receipts, undefined),
    cameBack: fc.boolean(),
  })
  .map(({ code, party, linkedReceipt, cameBack, amountMinor, ...rest }) => {
    const isReversal = rest.kind === 'reversal';
    return {
      ...rest,
      line: 0,
      amountMinor:
        rest.kind === 'payment_in' || (isReversal && cameBack) ? amountMinor : -amountMinor,
      ...(code === undefined ? {} : { code }),
      ...(party === undefined ? {} : { party }),
      ...(linkedReceipt === undefined || !isReversal ? {} : { linkedReceipt }),
    };
  });

const anyItem = (index: number): fc.Arbitrary<LedgerItem> =>
  fc
    .record({
      type: oneOf<LedgerItem['type']>('collection', 'collection', 'payout', 'correction'),
      whose: oneOf<LedgerItem['whose']>('own', 'own', 'own', 'other_account', 'other_merchant'),
      state: oneOf<LedgerItem['state']>(
        'posted',
        'posted',
        'held',
        'returned',
        'pending',
        'failed',
      ),
      amountMinor: oneOf(100n, 200n),
      atMs: oneOf(noon, noon + minute),
      ofDay: fc.boolean(),
      receipts: fc.subarray([...receipts], { maxLength: 2 }),
      code: oneOf(...codes),
      party: oneOf(...parties),
    })
    .map(({ code, party, ...of }) => {
      const [receipt] = of.receipts;
      const isDays = of.whose === 'own' && of.type !== 'correction';
      const base: LedgerItem = {
        ...of,
        id: `item-${index}`,
        reference: `INV-${index}`,
        feeMinor: 3n,
        amountMinor: of.type === 'payout' ? -of.amountMinor : of.amountMinor,
        ofDay: of.ofDay && isDays && of.state !== 'pending' && of.state !== 'failed',
        ...(receipt === undefined ? {} : { receipt }),
        ...(party === undefined ? {} : { party }),
      };
      return of.type === 'collection' && code !== undefined ? { ...base, code } : base;
    });

const anyDay = fc.record({
  lines: fc.array(anyLine, { maxLength: 12 }),
  items: fc
    .tuple(...Array.from({ length: 8 }, (_none, index) => anyItem(index)))
    .chain((all) => fc.subarray(all)),
});

const described = (found: readonly Finding[]): readonly string[] =>
  found
    .map(({ name, by, line: of, item: mine, about }) => {
      const { line: _at, ...content } = of ?? { line: 0 };
      const text = Object.entries(content).map(([key, value]) => `${key}=${String(value)}`);
      return [name, by, ...text.toSorted(), mine?.id, about?.id].join(' ');
    })
    .toSorted();

describe('a reversal without a correction', () => {
  it.each<[string, StatementLine, LedgerItem]>([
    ['by its receipt', line(), item()],
    ['by its code if no receipt was told', line(), unreceipted()],
    ['by its amount', line({ code: 'shop 4' }), unreceipted({ code: 'CODE00000002' })],
    ['although it is not settled here', line(), unreceipted({ state: 'failed', ofDay: false })],
  ])('is about the item that the payment on the statement pays, found %s', (_what, paid, of) => {
    const found = reconcile([back(), paid], [of]).find((each) => each.line?.kind === 'reversal');
    expect(found).toEqual({ name: 'missing_here', line: back(), about: of });
  });

  it.each<[string, readonly StatementLine[], LedgerItem]>([
    ['on the statement for an item with a receipt', [line({ receipt: 'TKL0000002' })], item()],
    [
      'on the statement for an item without a receipt',
      [line({ atMs: noon - 1 }), line({ receipt: 'TKL0000002' })],
      unreceipted(),
    ],
    ['known from the rail’s report', [], item({ receipts: ['TKL0000001', 'TKL0000002'] })],
    ['known by its code alone', [], item()],
  ])(
    'is marked as not of the item’s own payment if it reverses a second payment %s',
    (_what, paid, of) => {
      const reversal = line({
        kind: 'reversal',
        receipt: 'TKL0000009',
        amountMinor: -25_000n,
        linkedReceipt: 'TKL0000002',
      });
      for (const state of ['posted', 'held', 'returned'] as const) {
        const about = { ...of, state };
        const found = reconcile([...paid, reversal], [about]);
        expect(found.find((each) => each.line?.kind === 'reversal')).toEqual({
          name: 'missing_here',
          line: reversal,
          about,
          isAnother: true,
        });
      }
    },
  );
});

it('a payment that a later statement shows as sent back is in order on the day it arrived', () => {
  const sent = item({ state: 'returned' });
  expect(namesOf(reconcile([line()], [sent], new Set([sent.id])))).toEqual(['refunded by receipt']);
  expect(namesOf(reconcile([line()], [sent], new Set(['another'])))).toEqual([
    'not_sent_back by receipt',
  ]);
});

describe('any statement and any ledger', () => {
  it('each line and each item of the day appears in exactly one finding', () => {
    fc.assert(
      fc.property(anyDay, ({ lines, items }) => {
        const found = reconcile(lines, items);
        const judged = found.flatMap((each) => each.line ?? []);
        expect(judged).toHaveLength(lines.length);
        expect(new Set(judged).size).toBe(new Set(lines).size);
        const ids = found.flatMap((each) => each.item?.id ?? []);
        expect(new Set(ids).size).toBe(ids.length);
        for (const each of items)
          if (each.whose === 'own' && each.ofDay) expect(ids).toContain(each.id);
      }),
      { numRuns: 2_000 },
    );
  });

  it('the order of the lines and of the items changes nothing', () => {
    const shuffled = anyDay.chain(({ lines, items }) =>
      fc.record({
        lines: fc.constant(lines),
        items: fc.constant(items),
        again: fc.shuffledSubarray(lines, { minLength: lines.length }),
        itemsAgain: fc.shuffledSubarray(items, { minLength: items.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ lines, items, again, itemsAgain }) => {
        expect(described(reconcile(again, itemsAgain))).toEqual(described(reconcile(lines, items)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('two payments of one code go to the same item in either order of the file', () => {
    const lines = [
      line({ receipt: 'TKL0000002', amountMinor: 100n }),
      line({ receipt: 'TKL0000001', amountMinor: 200n }),
    ];
    const items = [100n, 200n].map((amountMinor, index) =>
      unreceipted({ id: `item-${index}`, amountMinor, state: 'failed', ofDay: false }),
    );
    expect(described(reconcile(lines.toReversed(), items))).toEqual(
      described(reconcile(lines, items)),
    );
  });

  it('a file of 60,000 lines with one amount and party is judged in under 10 s of CPU time', () => {
    const begun = process.cpuUsage();
    const { code: _code, ...plain } = line();
    const lines = Array.from({ length: 60_000 }, (_, index) => ({
      ...plain,
      line: index,
      receipt: `TKL${index.toString().padStart(7, '0')}`,
    }));
    const pending = unreceipted({ state: 'pending', ofDay: false });
    expect(judgeRest(lines, [], [pending])).toHaveLength(lines.length);
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(10_000);
  });

  it('the matched, open and excluded amounts sum to the statement', () => {
    fc.assert(
      fc.property(anyDay, ({ lines, items }) => {
        const tallies = new Tallies();
        const found = reconcile(lines, items);
        for (const each of found) tallies.add(each);
        const sum = (of: readonly { inMinor: bigint; outMinor: bigint }[]): bigint =>
          of.reduce((net, { inMinor, outMinor }) => net + inMinor - outMinor, 0n);
        expect(sum(tallies.entries().map(([, tally]) => tally))).toBe(
          lines.reduce((net, { amountMinor }) => net + amountMinor, 0n),
        );
        expect(tallies.open).toBe(found.filter(isOpen).length);
      }),
    );
  });

  it('a pair with different amounts, or whose money is not here, is never called a match', () => {
    fc.assert(
      fc.property(anyDay, ({ lines, items }) => {
        for (const { name, line: of, item: mine } of reconcile(lines, items)) {
          if (name !== 'matched') continue;
          expect(mine?.whose).toBe('own');
          expect(mine && isHere(mine)).toBe(true);
          expect(of?.completed).toBe(true);
          const sizes = [of?.amountMinor, mine?.amountMinor].map((amount = 0n) =>
            amount < 0n ? -amount : amount,
          );
          expect(sizes[0]).toBe(sizes[1]);
        }
      }),
    );
  });
});
