import { expect, it } from '@jest/globals';
import { jsonOf, type Recorded, type Since, textOf } from './show.js';

const open = { finding: 'missing_here', amountMinor: 9_000n, mayBe: ['INV-7'] } as const;
const recorded = {
  id: '0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e',
  recordedAt: '2026-11-21T06:00:00.000Z',
  metadata: { v: 1, correlationId: 'c', actor: { kind: 'operator', id: 'amina' } },
  data: {
    merchantId: 'm',
    mode: 'demo',
    accountNo: '1001',
    currency: 'KES',
    date: '2026-11-20',
    fileSha256: 'ab',
    fileLines: 2,
    position: '99',
    statementInMinor: 18_000n,
    statementOutMinor: 0n,
    collections: 0,
    collectionsMinor: 0n,
    collectionFeesMinor: 0n,
    payouts: 0,
    payoutsMinor: 0n,
    payoutFeesMinor: 0n,
    tallies: [],
    otherDay: [],
    open: 2,
    openNamed: [
      { ...open, receipt: 'TKL0000001' },
      { ...open, receipt: 'TKL0000002' },
    ],
  },
} as unknown as Recorded;
const since: Since = { wasOver: true, settled: new Set([0]), notes: [] };

it('a line that was settled since leads to comparing the day again, and to no item', () => {
  const lineOf = (receipt: string) =>
    textOf(recorded, since).find((line) => line.includes(receipt));
  expect(lineOf('TKL0000001')).toMatch(/settled since: reconcile the day again$/);
  expect(lineOf('TKL0000001')).not.toContain('INV-7');
  expect(lineOf('TKL0000002')).toMatch(/may be INV-7$/);
  expect(lineOf('TKL0000002')).not.toContain('settled');
});

it('a line’s JSON says that it was settled since', () => {
  expect(jsonOf(recorded, since)).toMatchObject({
    open_named: [
      { receipt: 'TKL0000001', settled_since: true },
      { receipt: 'TKL0000002', settled_since: false },
    ],
  });
});
