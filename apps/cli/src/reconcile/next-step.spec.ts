import { describe, expect, it } from '@jest/globals';
import { type Finding, type LedgerItem, type StatementLine } from '#domain/reconciliation';
import { type AccountDay } from '#views/reconciliations';
import { nextStep } from './next-step.js';

const atMs = Date.UTC(2026, 10, 20, 9);
const day: AccountDay = {
  ...{ merchantId: 'm-1', name: 'Duka', mode: 'demo', accountNo: '1001', currency: 'KES' },
  ...{ timezone: 'Africa/Nairobi', openedAt: 1n, date: '2026-11-20' },
  ...{ fromMs: atMs - 43_200_000, untilMs: atMs + 43_200_000 },
};

const reversal: StatementLine = {
  ...{ line: 7, receipt: 'TKL0000009', kind: 'reversal', completed: true, atMs, ofDay: true },
  ...{ amountMinor: -9_000n, linkedReceipt: 'TKL0000001' },
};

const item = (of: Partial<LedgerItem> = {}): LedgerItem => ({
  ...{ id: 'collection-demo:m-1:INV-1', type: 'collection', whose: 'own', reference: 'INV-1' },
  ...{ state: 'posted', amountMinor: 9_000n, feeMinor: 135n, ofDay: true, atMs },
  ...{ receipt: 'TKL0000001', receipts: ['TKL0000001'], ...of },
});

const commandsOf = (finding: Finding): readonly string[] => nextStep(finding, day).commands;
const reversed = (about?: LedgerItem): Finding => ({
  name: 'missing_here',
  line: reversal,
  ...(about === undefined ? {} : { about }),
});
const named = 'INV-1 --merchant m-1 --mode demo --type collection';
const refunded = `npx pesapost review resolve ${named} --decision refunded --reason "statement of 2026-11-20"`;

describe('what a reversal by the rail takes', () => {
  it('is the wallet’s, fee and all, where the payment was posted there', () => {
    expect(commandsOf(reversed(item()))).toEqual([
      'npx pesapost correction post --merchant m-1 --mode demo --currency KES ' +
        '--leg wallet:1001=-8865 --leg fees=-135 --leg rail-clearing:mpesa=9000 ' +
        '--corrects collection-demo:m-1:INV-1 --receipt TKL0000009 --may-overdraw ' +
        '--reason "statement of 2026-11-20, row 7"',
    ]);
  });

  it('goes to suspense where nobody knows the payment', () => {
    expect(commandsOf(reversed())).toEqual([
      'npx pesapost correction post --merchant m-1 --mode demo --currency KES ' +
        '--leg suspense=-9000 --leg rail-clearing:mpesa=9000 --receipt TKL0000009 ' +
        '--reason "statement of 2026-11-20, row 7"',
    ]);
  });

  it('is suspense’s, by its review, where the payment lies there', () => {
    expect(commandsOf(reversed(item({ state: 'held' })))).toEqual([
      `npx pesapost review show ${named}`,
      refunded,
    ]);
  });

  it.each<[string, Partial<LedgerItem>]>([
    ['of another amount than lies in suspense', { state: 'held', amountMinor: 9_001n }],
    ['of what was sent back already', { state: 'returned' }],
    ['of another amount than was sent back', { state: 'returned', amountMinor: 9_001n }],
    ['of what corrections took back', { amountMinor: 0n }],
    ['of what is not posted', { state: 'failed' }],
    ['of a correction', { type: 'correction' }],
  ])('%s is for a person to look at', (_what, of) => {
    const commands = commandsOf(reversed(item(of)));
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatch(/^npx pesapost history /);
  });
});

describe.each(['missing_there', 'duplicate_here'] as const)('%s', (name) => {
  const takesBack = (of: Partial<LedgerItem>): readonly string[] =>
    commandsOf({ name, item: item(of) }).slice(1);

  it('is taken back from the wallet where it was posted there', () => {
    expect(takesBack({})).toEqual([
      expect.stringContaining(
        '--leg wallet:1001=-8865 --leg fees=-135 --leg rail-clearing:mpesa=9000 --corrects',
      ),
    ]);
  });

  it('is taken back from suspense where it lies there', () => {
    expect(takesBack({ state: 'held' })).toEqual([refunded]);
  });

  it.each<[string, Partial<LedgerItem>]>([
    ['left suspense', { state: 'returned' }],
    ['is a correction', { type: 'correction' }],
  ])('is not taken back where it %s', (_what, of) => {
    expect(takesBack(of)).toEqual([]);
  });
});
