import { describe, expect, it } from '@jest/globals';
import { type Finding, type LedgerItem, type StatementLine } from '#domain/reconciliation';
import {
  type AccountDay,
  type ProposedCorrections,
  type WaitingCorrection,
} from '#views/reconciliations';
import { readCorrectionId } from '#desk/operators';
import { nextStep } from './index.js';

const atMs = Date.UTC(2026, 10, 20, 9);
const day: AccountDay = {
  merchantId: 'm-1',
  name: 'Duka',
  mode: 'demo',
  accountNo: '1001',
  channel: 'mpesa',
  currency: 'KES',
  timezone: 'Africa/Nairobi',
  openedAt: 1n,
  date: '2026-11-20',
  fromMs: atMs - 43_200_000,
  untilMs: atMs + 43_200_000,
};

const reversal: StatementLine = {
  line: 7,
  receipt: 'TKL0000009',
  kind: 'reversal',
  completed: true,
  atMs,
  ofDay: true,
  amountMinor: -9_000n,
  linkedReceipt: 'TKL0000001',
};

const item = (of: Partial<LedgerItem> = {}): LedgerItem => ({
  id: 'collection-demo:m-1:INV-1',
  type: 'collection',
  whose: 'own',
  reference: 'INV-1',
  state: 'posted',
  amountMinor: 9_000n,
  feeMinor: 135n,
  ofDay: true,
  atMs,
  receipt: 'TKL0000001',
  receipts: ['TKL0000001'],
  ...of,
});

const nobody: ProposedCorrections = { waiting: [], countOf: new Map() };
const report = { day, proposed: nobody, wentBack: new Set<string>() };
const commandsOf = (finding: Finding, proposed = nobody): readonly string[] =>
  nextStep(finding, { ...report, proposed }).commands;
const reversed = (about?: LedgerItem): Finding => ({
  name: 'missing_here',
  line: reversal,
  ...(about === undefined ? {} : { about }),
});
const named = 'INV-1 --type collection --merchant m-1 --mode demo';
const refunded = `npx pesapost review resolve ${named} --decision refunded --reason "statement of 2026-11-20"`;

describe('a line without an item', () => {
  const line: StatementLine = { ...reversal, kind: 'payment_out' };
  const open = item({
    id: 'payout-demo:m-1:P-1',
    type: 'payout',
    reference: 'P-1',
    state: 'pending',
    amountMinor: -9_000n,
    isGiven: true,
    receipts: [],
  });
  const explained: Finding = { name: 'missing_here', line, candidates: [open] };
  const payout = 'P-1 --type payout --merchant m-1 --mode demo';

  it('goes to suspense only if nothing may explain it', () => {
    const { what, commands } = nextStep({ name: 'missing_here', line }, report);
    expect([what, commands.length]).toEqual([expect.stringMatching(/Post it to suspense/), 1]);
    expect(commands[0]).toContain('--leg suspense=-9000');
  });

  it('clears with the rail of its statement (REC-39)', () => {
    const ofAirtel = { ...report, day: { ...day, channel: 'airtel' } };
    const [command] = nextStep({ name: 'missing_here', line }, ofAirtel).commands;
    expect(command).toContain('--leg rail-clearing:airtel=9000');
  });

  it('names the open payout that may explain it, and posts nothing', () => {
    const { what, commands } = nextStep(explained, report);
    expect(what).toMatch(
      /^First look at payout P-1 \(pending, given to the rail at 2026-11-20T09:00:00\.000Z\)\. It may/,
    );
    expect(commands).toEqual([
      `npx pesapost history ${payout}`,
      `npx pesapost review open ${payout} --receipt TKL0000009 --amount 9000 ` +
        '--paid-at 2026-11-20T09:00:00.000Z --reason "statement of 2026-11-20, row 7"',
    ]);
  });

  it.each<[string, Finding]>([
    ['another one fits as well', { ...explained, candidates: [open, { ...open, id: 'p-2' }] }],
    ['it was not given to the rail', { ...explained, candidates: [without(open)] }],
    ['it holds the money already', { ...explained, candidates: [{ ...open, state: 'posted' }] }],
    ['it is another merchant’s', { name: 'missing_here', line, mayBeOthers: true }],
    ['the rail reversed it', { ...explained, line: reversal }],
  ])('leads to no posting if %s', (_what, finding) => {
    const { what, commands } = nextStep(finding, report);
    expect(what).toMatch(/^First look at .* Post nothing to suspense before that\./);
    expect(commands.filter((command) => !command.startsWith('npx pesapost history'))).toEqual([]);
  });

  it('may explain an item without a line, which is then not taken back', () => {
    const alone: Finding = { name: 'missing_there', item: item(), mayBeShown: true };
    expect(nextStep(alone, report).commands).toEqual([`npx pesapost history ${named}`]);
  });
});

function without({ isGiven: _isGiven, ...rest }: LedgerItem): LedgerItem {
  return rest;
}

it('a second payment of an item goes to suspense, and its reversal comes from there', () => {
  const paid: StatementLine = { ...reversal, kind: 'payment_in', amountMinor: 9_000n };
  const legsOf = (finding: Finding) =>
    /--leg .*(?= --corrects)/.exec(commandsOf(finding).at(-1) ?? '')?.[0];
  expect(legsOf({ name: 'paid_twice', line: paid, about: item() })).toBe(
    '--leg suspense=9000 --leg rail-clearing:mpesa=-9000',
  );
  expect(legsOf({ ...reversed(item()), isAnother: true })).toBe(
    '--leg suspense=-9000 --leg rail-clearing:mpesa=9000',
  );
});

describe('the money of a reversal by the rail', () => {
  it('comes from the wallet, fee included, if the payment was posted there', () => {
    expect(commandsOf(reversed(item()))).toEqual([
      'npx pesapost correction post --merchant m-1 --mode demo --currency KES ' +
        '--leg wallet:1001=-8865 --leg fees=-135 --leg rail-clearing:mpesa=9000 ' +
        '--corrects collection-demo:m-1:INV-1 --receipt TKL0000009 --may-overdraw ' +
        '--reason "statement of 2026-11-20, row 7"',
    ]);
  });

  it('does not go to the wallet if the rail gave something else back, such as a charge', () => {
    const line = { ...reversal, amountMinor: 500n };
    const { what, commands } = nextStep({ ...reversed(item()), line }, report);
    expect(commands).toEqual([`npx pesapost history ${named}`]);
    expect(what).toMatch(/move money the same way/);
  });

  it('comes from suspense if the payment is unknown', () => {
    expect(commandsOf(reversed())).toEqual([
      'npx pesapost correction post --merchant m-1 --mode demo --currency KES ' +
        '--leg suspense=-9000 --leg rail-clearing:mpesa=9000 --receipt TKL0000009 ' +
        '--reason "statement of 2026-11-20, row 7"',
    ]);
  });

  it.each(['posted', 'held', 'returned'] as const)(
    'comes from suspense if it was another payment of an item that is %s',
    (state) => {
      const finding = { ...reversed(item({ state })), isAnother: true } as const;
      expect(commandsOf(finding)).toEqual([
        `npx pesapost history ${named}`,
        'npx pesapost correction post --merchant m-1 --mode demo --currency KES ' +
          '--leg suspense=-9000 --leg rail-clearing:mpesa=9000 ' +
          '--corrects collection-demo:m-1:INV-1 --receipt TKL0000009 ' +
          '--reason "statement of 2026-11-20, row 7"',
      ]);
    },
  );

  it('comes from suspense, by its review, if the payment is still there', () => {
    expect(commandsOf(reversed(item({ state: 'held' })))).toEqual([
      `npx pesapost review show ${named}`,
      refunded,
    ]);
  });

  it('is not offered to the merchant out of suspense', () => {
    const held: Finding = { name: 'in_suspense', item: item({ state: 'held' }) };
    expect(commandsOf(held).at(-1)).toContain('--decision suspense_to_merchant');
    const wentBack = new Set([item().id]);
    expect(nextStep(held, { ...report, wentBack }).commands.at(-1)).toBe(refunded);
  });

  it.each<[string, Partial<LedgerItem>]>([
    ['another amount lies in suspense', { state: 'held', amountMinor: 9_001n }],
    ['the payment was sent back already', { state: 'returned' }],
    ['another amount was sent back', { state: 'returned', amountMinor: 9_001n }],
    ['corrections took the payment back', { amountMinor: 0n }],
    ['the item is not posted', { state: 'failed' }],
    ['the item is a correction', { type: 'correction' }],
  ])('is for a person to examine if %s', (_what, of) => {
    const commands = commandsOf(reversed(item(of)));
    expect(commands).toHaveLength(1);
    const look =
      of.type === 'correction' ? 'correction show INV-1 --mode demo' : `history ${named}`;
    expect(commands[0]).toBe(`npx pesapost ${look}`);
  });
});

describe.each([
  ['missing_there', [`npx pesapost history ${named}`]],
  ['duplicate_here', [`npx pesapost history ${named}`, 'npx pesapost find TKL0000001']],
] as const)('%s', (name, looks) => {
  const takesBack = (of: Partial<LedgerItem>): readonly string[] =>
    commandsOf({ name, item: item(of) }).slice(looks.length);

  it('is examined first', () => {
    expect(commandsOf({ name, item: item() }).slice(0, looks.length)).toEqual(looks);
  });

  it('is taken back from the wallet if it was posted there', () => {
    expect(takesBack({})).toEqual([
      expect.stringMatching(
        / --leg wallet:1001=-8865 --leg fees=-135 --leg rail-clearing:mpesa=9000 .*--corrects /,
      ),
    ]);
  });

  it('is taken back from suspense if it is there', () => {
    expect(takesBack({ state: 'held' })).toEqual([refunded]);
  });

  it.each<[string, Partial<LedgerItem>]>([
    ['left suspense', { state: 'returned' }],
    ['is a correction', { type: 'correction' }],
  ])('is not taken back if it %s', (_what, of) => {
    expect(takesBack(of)).toEqual([]);
  });
});

it('a return that was decided is searched for at the rail, and made there if it is missing', () => {
  const sent = item({ state: 'returned' });
  const paid: StatementLine = { ...reversal, kind: 'payment_in', receipt: 'TKL0000001' };
  const { what, commands } = nextStep({ name: 'not_sent_back', line: paid, item: sent }, report);
  expect(what).toMatch(
    /the reversal of TKL0000001\. Look for it at the rail, and reverse the payment if there is none/,
  );
  expect(commands).toEqual([`npx pesapost history ${named}`]);
});

describe('an item that the statement of an adjacent day may have shown', () => {
  it('is not taken back', () => {
    const { what, commands } = nextStep(
      { name: 'missing_there', item: item({ partlyRecordedOn: '2026-11-19' }) },
      report,
    );
    expect(commands).toEqual([`npx pesapost history ${named}`]);
    expect(what).toMatch(/^The record of 2026-11-19 is incomplete/);
  });
});

describe('a correction that waits for another operator', () => {
  const gone: Finding = { name: 'missing_there', item: item() };
  const waiting = (of: Partial<WaitingCorrection>): ProposedCorrections => ({
    ...nobody,
    waiting: [{ id: 'c-1', mode: 'demo', corrects: item().id, receipt: null, ...of }],
  });
  const confirm = 'npx pesapost correction confirm c-1 --mode demo';

  it('replaces the command, by what it corrects or by its receipt', () => {
    const step = nextStep(gone, { ...report, proposed: waiting({}) });
    expect(step.commands).toEqual([`npx pesapost history ${named}`, confirm]);
    expect(step.what).toMatch(/This is already proposed\. Another operator must confirm it\.$/);
    expect(commandsOf(reversed(item()), waiting({}))).toEqual([confirm]);
    expect(commandsOf(reversed(), waiting({ corrects: null, receipt: 'TKL0000009' }))).toEqual([
      confirm,
    ]);
  });

  it.each<[string, Partial<WaitingCorrection>]>([
    ['another item', { corrects: 'collection-demo:m-1:INV-2' }],
    ['another payment of the item', { receipt: 'TKL0000002' }],
    ['no item', { corrects: null }],
  ])('does not replace the command if it corrects %s', (_what, of) => {
    for (const finding of [gone, reversed(item())])
      expect(commandsOf(finding, waiting(of)).at(-1)).toMatch(/correction post /);
  });

  it('is proposed under one id, however often it is shown, until one has ended', () => {
    const idIn = (finding: Finding, count = 0): string | undefined =>
      / --id ([0-9a-f-]{36}) /.exec(
        commandsOf(finding, { ...nobody, countOf: new Map([[item().id, count]]) }).at(-1) ?? '',
      )?.[1];
    expect(readCorrectionId(idIn(gone) ?? '')).toMatchObject({ ok: true });
    expect(idIn(gone)).toBe(idIn({ name: 'duplicate_here', item: item() }));
    const ids = [idIn(gone), idIn(gone, 1), idIn({ ...gone, item: item({ amountMinor: 8_000n }) })];
    expect(new Set(ids).size).toBe(3);
    // One receipt is posted once, whatever the id (COR-1).
    expect(idIn(reversed(item()))).toBeUndefined();
  });
});
