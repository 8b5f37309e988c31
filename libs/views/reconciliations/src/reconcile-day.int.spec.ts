import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CollectionEvent, collectionStream } from '#domain/collections';
import { type CorrectionEvent, type CorrectionTerms, correctionStream } from '#domain/corrections';
import { DependencyUnavailable, type Instant } from '#domain/kernel';
import {
  collectionLegs,
  type LedgerAccount,
  settlementLegs,
  suspenseLegs,
  suspenseReturnLegs,
} from '#domain/ledger';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { type PayoutEvent, payoutStream } from '#domain/payouts';
import {
  type DifferencesNoted,
  type Finding,
  type ReconciledBy,
  type ReconciliationRecorded,
  reconciliationStream,
  type StatementLine,
  StatementReader,
  StatementRefused,
} from '#domain/reconciliation';
import { dayAt } from '#infra/runtime';
import {
  collectionIntent,
  HandMadeLog,
  onboarded,
  payByQuery,
  register,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { applyBatch } from '#views/projection';
import {
  advanceCheckpoint,
  createViews,
  endQuarantines,
  noteFresh,
  putQuarantines,
  readCheckpoint,
  viewSchema,
} from '#views/view-set';
import { type AccountDay, findAccountDay } from './account-day.js';
import { differenceNotes } from './notes.js';
import { listReconciliations } from './query.js';
import { reconcileDay, TooManyUnmatched } from './reconcile-day.js';
import { type Comparison, compareWithFiles, recordOf } from './report.js';
import { settledSince } from './settled-since.js';

let own: ThrowAwayDatabase;
const log = onboarded(new HandMadeLog(Date.UTC(2026, 10, 20, 9)));
const date = '2026-11-20';
const at = Date.UTC(2026, 10, 20, 9);

beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(own.database, viewSchema());
});
afterAll(() => own.drop());

interface Made {
  readonly merchant?: 'm-1' | 'm-2';
  readonly accountNo?: string;
  readonly receipt?: string;
  readonly amountMinor?: bigint;
  readonly paidAtMs?: number;
  /** `query`: paid, but without a receipt. */
  readonly outcome?: 'paid' | 'query' | 'failed' | 'held' | 'returned' | 'pending';
  readonly phoneMasked?: string;
}

function collect(reference: string, code: string, of: Made = {}): string {
  const { merchant = 'm-1', outcome = 'paid', amountMinor = 10_000n, paidAtMs = at } = of;
  const key = { mode: 'demo', merchantId: merchant, reference } as const;
  const { accountNo = merchant === 'm-1' ? '1001' : '1002' } = of;
  const stream = collectionStream(key);
  const intent = collectionIntent({ ...key, accountNo, amountMinor, feeMinor: 155n });
  const { receipt = `RCPT${code.slice(-6)}`, phoneMasked = '2547*****678' } = of;
  log.append<CollectionEvent>(stream, {
    ...intent,
    data: { ...intent.data, accountReference: code, phoneMasked },
  });
  const paidAt = new Date(paidAtMs).toISOString() as Instant;
  const told = outcome === 'query' ? {} : { receipt, amountMinor, paidAt };
  const legs = collectionLegs({ rail: 'mpesa', accountNo, amountMinor, feeMinor: 155n });
  if (outcome === 'failed')
    log.append<CollectionEvent>(stream, {
      type: 'RailDeclined',
      data: { by: 'callback', failureCode: 'no_answer' },
    });
  if (outcome === 'paid' || outcome === 'query')
    log.append<CollectionEvent>(
      stream,
      {
        type: 'RailConfirmed',
        data: { by: outcome === 'paid' ? 'callback' : 'query', resultCode: '0', ...told },
      },
      {
        type: 'WalletPosted',
        data: {
          merchantId: merchant,
          mode: 'demo',
          reference,
          accountNo,
          currency: 'KES',
          amountMinor,
          feeMinor: 155n,
          legs,
          requestCommitment: 'c',
        },
      },
    );
  if (outcome === 'held' || outcome === 'returned') {
    const arrived = { receipt, amountMinor: amountMinor + 1n };
    const back = suspenseReturnLegs({ rail: 'mpesa', amountMinor: arrived.amountMinor });
    log.append<CollectionEvent>(
      stream,
      { type: 'AmountMismatchRecorded', data: arrived },
      {
        type: 'SuspensePosted',
        data: {
          ...arrived,
          legs: suspenseLegs({ rail: 'mpesa', amountMinor: arrived.amountMinor }),
        },
      },
    );
    if (outcome === 'returned')
      log.append<CollectionEvent>(stream, {
        type: 'SuspenseResolved',
        data: { ...arrived, legs: back },
      });
  }
  return stream;
}

/** Requests a payout, which waits for a decision. @returns its stream */
function request(reference: string, phoneMasked: string, amountMinor: bigint): string {
  const key = { mode: 'demo', merchantId: 'm-1', reference } as const;
  const stream = payoutStream(key);
  const wallet = { accountNo: '1001', currency: 'KES', channel: 'mpesa', feeMinor: 60n };
  log.append<PayoutEvent>(stream, {
    type: 'PayoutRequested',
    data: { ...key, ...wallet, amountMinor, phoneHmac: 'h', phoneMasked, holder: 'asha' },
  });
  return stream;
}

interface Correcting {
  readonly receipt?: string;
  readonly merchantId?: string;
  readonly account?: LedgerAccount;
}

function correct(
  id: string,
  corrects: string,
  railMinor: bigint,
  { receipt, merchantId = 'm-1', account = 'wallet:1001' }: Correcting = {},
): void {
  const terms: CorrectionTerms = {
    merchantId,
    mode: 'demo',
    currency: 'KES',
    why: 'spec',
    corrects,
    legs: [
      { account, amountMinor: -railMinor },
      { account: 'rail-clearing:mpesa', amountMinor: railMinor },
    ],
    ...(receipt === undefined ? {} : { receipt }),
  };
  const proposed = { ...terms, proposedBy: 'asha' };
  log.append<CorrectionEvent>(
    correctionStream({ mode: 'demo', id }),
    { type: 'CorrectionProposed', data: proposed },
    { type: 'CorrectionPosted', data: { ...proposed, confirmedBy: 'joseph' } },
  );
}

let rows = 1;
const line = (receipt: string, of: Partial<StatementLine> = {}): StatementLine => ({
  line: (rows += 1),
  receipt,
  kind: 'payment_in',
  completed: true,
  atMs: at,
  ofDay: true,
  amountMinor: 10_000n,
  ...of,
});

let projected = 0;
async function project(): Promise<void> {
  const events = log.events.slice(projected);
  projected = log.events.length;
  const { position = 0n } = events.at(-1) ?? {};
  await own.database.transaction(async (transaction) => {
    await advanceCheckpoint(transaction, await readCheckpoint(transaction), { position });
    await applyBatch(transaction, events);
  });
  await noteFresh(own.database, position, new Date());
}

async function compare(lines: readonly StatementLine[], by: ReconciledBy = 'platform') {
  await project();
  const day = await accountDay();
  const found: Finding[] = [];
  let plain = 0;
  async function* inTwo(): AsyncGenerator<readonly StatementLine[]> {
    await Promise.resolve();
    yield lines.slice(0, 3);
    yield lines.slice(3);
  }
  const compared = await reconcileDay(own.database, {
    day,
    lines: inTwo(),
    by,
    maxAgeMs: 3_600_000,
    onMatched: ({ count }) => (plain += count),
    onFinding: (finding) => found.push(finding),
  });
  const told = found
    .map(({ name, line: of, item, about }) =>
      [name, of?.receipt, item?.reference, about && `about ${about.reference}`]
        .filter((word) => word !== undefined)
        .join(' '),
    )
    .toSorted();
  return { ...compared, day, told, plain };
}

describe('the comparison of an account’s day, over the views', () => {
  it('each line and each item is classified by the ledger’s history', async () => {
    register(log, 'm-2');
    collect('by-receipt', 'CODE00000001');
    collect('by-code', 'CODE00000002', { outcome: 'query' });
    collect('by-amount', 'CODE00000003', { outcome: 'query', amountMinor: 777n });
    collect('failed', 'CODE00000004', { outcome: 'failed' });
    collect('pending', 'CODE00000005', { outcome: 'pending', amountMinor: 888n });
    collect('held', 'CODE00000006', { outcome: 'held' });
    collect('not-there', 'CODE00000007');
    collect('of-m2', 'CODE00000008', { merchant: 'm-2' });
    collect('of-m2-by-code', 'CODE00000009', { merchant: 'm-2', outcome: 'query' });
    collect('yesterday', 'CODE0000000A', { paidAtMs: at - 86_400_000 });
    const more = collect('more', 'CODE0000000B');
    correct('0199c1f0-0000-7000-8000-000000000001', more, -500n);
    const reversed = collect('reversed', 'CODE0000000C');
    correct('0199c1f0-0000-7000-8000-000000000002', reversed, 10_000n, { receipt: 'REVERSAL01' });
    const gone = collect('gone', 'CODE0000000D');
    correct('0199c1f0-0000-7000-8000-000000000003', gone, 10_000n);

    const party = '2547*****678';
    const compared = await compare([
      line('RCPT000001', { code: 'CODE00000001' }),
      line('OTHER00002', { code: 'CODE00000002' }),
      line('OTHER00003', { amountMinor: 777n, party, atMs: postedAtMs() }),
      line('OTHER00004', { code: 'CODE00000004' }),
      line('OTHER00005', { amountMinor: 888n, party, atMs: postedAtMs() }),
      line('RCPT000006', { amountMinor: 10_001n }),
      line('RCPT000008'),
      line('OTHER00009', { code: 'CODE00000009' }),
      line('RCPT00000A'),
      line('RCPT00000B', { amountMinor: 10_500n }),
      line('RCPT00000C'),
      line('REVERSAL01', { kind: 'reversal', amountMinor: -10_000n }),
      line('REVERSAL02', { kind: 'reversal', amountMinor: -10_000n, linkedReceipt: 'RCPT000001' }),
      line('NOBODY0001', { code: '1001' }),
      line('RCPT000001', { kind: 'charge', amountMinor: -50n }),
    ]);
    expect(compared.told).toEqual(
      [
        'matched OTHER00002 by-code',
        'matched OTHER00003 by-amount',
        'missing_here OTHER00004 about failed',
        'missing_here OTHER00005 about pending',
        'in_suspense RCPT000006 held',
        'missing_there not-there',
        'other_merchant RCPT000008',
        'other_merchant OTHER00009',
        'other_day RCPT00000A yesterday',
        'matched RCPT00000B more',
        'matched RCPT00000C reversed',
        'matched REVERSAL01 0199c1f0-0000-7000-8000-000000000002',
        'missing_here REVERSAL02 about by-receipt',
        'missing_here NOBODY0001',
        'charge RCPT000001',
        'refunded gone',
      ].toSorted(),
    );
    // Postgres may count only one of them as plain: RCPT000001 also has a charge, which is not one of its lines.
    expect(compared.plain).toBe(1);
    expect(compared.lists.collection).toEqual({
      count: 7,
      amountMinor: 60_777n,
      feesMinor: 7n * 155n,
    });
  });

  it('a sweep is not a payment, and a withdrawal is open until a correction has its receipt (SWEEP-4)', async () => {
    const terms = {
      merchantId: 'm-1',
      mode: 'demo',
      currency: 'KES',
      why: 'spec',
      receipt: 'TOBANK0002',
      legs: settlementLegs({ rail: 'mpesa', amountMinor: 4_000n }),
    } as const;
    const id = '0199c1f0-0000-7000-8000-0000000000b1';
    const proposed = { ...terms, proposedBy: 'asha' };
    log.append<CorrectionEvent>(
      correctionStream({ mode: 'demo', id }),
      { type: 'CorrectionProposed', data: proposed },
      { type: 'CorrectionPosted', data: { ...proposed, confirmedBy: 'joseph' } },
    );
    const out = (receipt: string, kind: StatementLine['kind'], amountMinor = -4_000n) =>
      line(receipt, { kind, amountMinor });
    const lines = [
      out('SWEEP00001', 'sweep'),
      out('TOBANK0001', 'withdrawal'),
      out('TOBANK0002', 'withdrawal'),
      line('TOBANK0003', { kind: 'withdrawal', amountMinor: -4_000n, ofDay: false }),
    ];
    const toBank = ({ told }: { readonly told: readonly string[] }) =>
      told.filter((text) => /SWEEP|TOBANK/.test(text));
    expect(toBank(await compare(lines))).toEqual([
      `matched TOBANK0002 ${id}`,
      'outside_day TOBANK0003',
      'sweep SWEEP00001',
      'withdrawal TOBANK0001',
    ]);
    expect(toBank(await compare(lines, 'merchant'))).toContain('transfer TOBANK0001');
  });

  it('a reversal and a correction belong to the owner of the payment they concern', async () => {
    log.append<MerchantEvent>(merchantStream('m-1'), {
      type: 'AccountOpened',
      data: { accountNo: '1003', mode: 'demo', currency: 'KES' },
    });
    const correctionOf = (digit: string): string => `0199c1f0-0000-7000-8000-00000000001${digit}`;
    const ofM2 = collect('of-m2-reversed', 'CODE0000001A', { merchant: 'm-2' });
    const suspense = { account: 'suspense' } as const;
    correct(correctionOf('1'), ofM2, -700n, {
      receipt: 'TWICE00001',
      ...suspense,
      merchantId: 'm-2',
    });
    const of1003 = collect('of-1003', 'CODE0000001B', { accountNo: '1003' });
    correct(correctionOf('2'), of1003, 10_000n, { receipt: 'REVERSAL12', account: 'wallet:1003' });
    correct(correctionOf('3'), of1003, -700n, { receipt: 'TWICE00003', ...suspense });
    const first = `correction-demo:${correctionOf('3')}`;
    correct(correctionOf('4'), first, 700n, { receipt: 'REVERSAL14', ...suspense });
    collect('sent-back', 'CODE0000001C', { outcome: 'returned' });
    collect('still-held', 'CODE0000001D', { outcome: 'held' });

    const back = { kind: 'reversal', amountMinor: -10_000n } as const;
    const { told } = await compare([
      line('REVERSAL10', { ...back, linkedReceipt: 'RCPT00001A' }),
      line('REVERSAL11', { ...back, linkedReceipt: 'TWICE00001', amountMinor: -700n }),
      line('REVERSAL12', back),
      line('TWICE00003', { amountMinor: 700n }),
      line('REVERSAL14', { ...back, amountMinor: -700n }),
      line('REVERSAL15', { ...back, linkedReceipt: 'RCPT00001B' }),
      line('RCPT00001C', { amountMinor: 10_001n }),
      line('REVERSAL16', { ...back, linkedReceipt: 'RCPT00001C', amountMinor: -10_001n }),
      line('REVERSAL17', { ...back, linkedReceipt: 'RCPT00001D', amountMinor: -10_001n }),
    ]);
    expect(told.filter((each) => / (?:REVERSAL|TWICE|RCPT00001)/.test(each))).toEqual(
      [
        'other_merchant REVERSAL10',
        'other_merchant REVERSAL11',
        'other_account REVERSAL12',
        'other_account TWICE00003',
        'other_account REVERSAL14',
        'other_account REVERSAL15',
        'refunded RCPT00001C sent-back',
        'refunded REVERSAL16 about sent-back',
        'missing_here REVERSAL17 about still-held',
      ].toSorted(),
    );
    expect(told).toContain('missing_there still-held');
  });

  it('a correction that was itself reversed no longer counts', async () => {
    const correctionOf = (digit: string): string => `0199c1f0-0000-7000-8000-00000000003${digit}`;
    const takenBack = collect('undone', 'CODE0000002A');
    correct(correctionOf('1'), takenBack, 10_000n);
    correct(correctionOf('2'), `correction-demo:${correctionOf('1')}`, -10_000n);
    const suspense = { account: 'suspense' } as const;
    correct(correctionOf('3'), takenBack, -700n, { receipt: 'TWICE0002A', ...suspense });
    correct(correctionOf('4'), `correction-demo:${correctionOf('3')}`, 700n, suspense);
    const { told } = await compare([
      line('RCPT00002A'),
      line('TWICE0002A', { amountMinor: 700n }),
      line('RCPT00001A'),
    ]);
    expect(told.filter((each) => each.includes('2A'))).toEqual([
      `amount_differs TWICE0002A ${correctionOf('3')}`,
      'matched RCPT00002A undone',
    ]);
  });

  it('a collection settled hours later by a query is dated by its push', async () => {
    const party = '2547*****999';
    const stream = collect('late', 'CODE0000003A', { outcome: 'pending', phoneMasked: party });
    const askedMs = postedAtMs();
    log.wait(2 * 3_600_000);
    payByQuery(log, stream);
    const { told } = await compare([line('OTHER0003A', { party, atMs: askedMs + 60_000 })]);
    expect(told.filter((each) => each.includes('OTHER0003A') || each.endsWith(' late'))).toEqual([
      'matched OTHER0003A late',
    ]);
  });

  it('a line without a code is assigned by amount, number and time, on any posting day', async () => {
    const party = '2547*****444';
    collect('till-of-m2', 'CODE0000004A', {
      merchant: 'm-2',
      outcome: 'query',
      phoneMasked: party,
    });
    const ofM2 = line('OTHER0004A', { party, atMs: postedAtMs() });
    log.wait(Date.UTC(2026, 10, 20, 20, 59) - postedAtMs());
    const stream = collect('midnight', 'CODE0000004B', { outcome: 'pending', phoneMasked: party });
    const ofNight = line('OTHER0004B', { party, atMs: postedAtMs() + 30_000 });
    log.wait(5 * 60_000);
    payByQuery(log, stream);
    const { told } = await compare([ofM2, ofNight]);
    expect(told.filter((each) => each.includes('OTHER0004'))).toEqual([
      'other_day OTHER0004B midnight',
      'other_merchant OTHER0004A',
    ]);
  });

  it('a file that repeats one receipt many times is rejected', async () => {
    const lines = Array.from({ length: 1001 }, () => line('RCPT000001'));
    await expect(compare(lines)).rejects.toBeInstanceOf(TooManyUnmatched);
  });

  it('the merchant’s proposals are reported, and which of them are still open', async () => {
    const id = '0199c1f0-0000-7000-8000-000000000021';
    const corrects = collectionStream({ mode: 'demo', merchantId: 'm-1', reference: 'not-there' });
    const stream = correctionStream({ mode: 'demo', id });
    const legs = [
      { account: 'wallet:1001', amountMinor: -100n },
      { account: 'fees', amountMinor: 100n },
    ] as const;
    log.append<CorrectionEvent>(stream, {
      type: 'CorrectionProposed',
      data: {
        merchantId: 'm-1',
        mode: 'demo',
        currency: 'KES',
        why: 'spec',
        proposedBy: 'asha',
        legs,
        corrects,
      },
    });
    const before = (await compare([line('RCPT000001')])).proposed;
    expect(before.waiting).toEqual([expect.objectContaining({ id, corrects, receipt: null })]);
    log.append<CorrectionEvent>(stream, {
      type: 'CorrectionEnded',
      data: { merchantId: 'm-1', mode: 'demo', outcome: 'withdrawn' },
    });
    const after = (await compare([line('RCPT000001')])).proposed;
    expect([after.waiting, after.countOf.get(corrects)]).toEqual([[], 1]);
  });

  it('an item that an adjacent day’s statement showed is not missing today, if the comparer may rely on it', async () => {
    const stream = collectionStream({ mode: 'demo', merchantId: 'm-1', reference: 'not-there' });
    const otherDay = { otherDay: ['not-there'], otherDayStreams: [stream] };
    const told = async (by?: ReconciledBy): Promise<string | undefined> =>
      (await compare([line('RCPT000001')], by)).told.find((each) => each.endsWith(' not-there'));

    recordDay({ date: '2026-11-21', by: 'merchant', ...otherDay });
    expect([await told('platform'), await told('merchant')]).toEqual([
      'missing_there not-there',
      'other_day not-there',
    ]);
    // The first events contain neither who reconciled nor which of two items with one reference is meant.
    recordDay({ date: '2026-11-19', otherDay: ['not-there'] });
    recordDay({
      date: '2026-11-21',
      by: 'platform',
      otherDay: ['not-there'],
      otherDayStreams: ['payout-demo:m-1:not-there'],
    });
    expect(await told('platform')).toBe('missing_there not-there');
    recordDay({ date: '2026-11-19', by: 'platform', ...otherDay });
    expect(await told('platform')).toBe('other_day not-there');
    recordDay({ date: '2026-11-19', by: 'platform', otherDay: [], otherDayStreams: [] });
    expect(await told('platform')).toBe('missing_there not-there');
  });

  it('an item may be on an adjacent day’s statement if that day did not record all that it showed', async () => {
    const items = async (): Promise<readonly (string | undefined)[]> => {
      const given = await comparisonOf([line('RCPT000001')]);
      const { open } = await compareWithFiles(own.database, given);
      const missing = open.find(({ item: of }) => of?.reference === 'not-there');
      return [missing?.name, missing?.item?.partlyRecordedOn];
    };
    const streams = (count: number) => Array.from({ length: count }, (_none, n) => `stream-${n}`);
    for (const [otherDayStreams, partlyOn] of [
      [streams(499), undefined],
      [streams(500), '2026-11-21'],
      [streams(501), undefined],
      [streams(6000), '2026-11-21'],
      [[], '2026-11-21'],
    ] as const) {
      recordDay({ date: '2026-11-21', by: 'platform', otherDay: ['stream-0'], otherDayStreams });
      await project();
      expect(await items()).toEqual(['missing_there', partlyOn]);
    }
    recordDay({ date: '2026-11-21', by: 'platform', otherDay: [], otherDayStreams: [] });
    await project();
    expect(await items()).toEqual(['missing_there', undefined]);
  });

  it('each comparison is listed, and its event has its author and the items of another day', async () => {
    const of = { merchantId: 'm-1', from: '2026-11-21', to: '2026-11-21', limit: 5 };
    const { reconciliations } = await listReconciliations(own.database, of);
    expect(reconciliations).toMatchObject([
      { date: '2026-11-21', accountNo: '1001', open: 0 },
      ...Array.from({ length: 4 }, () => ({ date: '2026-11-21' })),
    ]);
    const { reconciliations: others } = await listReconciliations(own.database, {
      ...of,
      merchantId: 'm-2',
    });
    expect(others).toEqual([]);
    const comparison = await comparisonOf([line('RCPT00000A')]);
    const report = await compareWithFiles(own.database, { ...comparison, by: 'merchant' });
    expect(recordOf(report)).toMatchObject({
      by: 'merchant',
      otherDay: ['yesterday'],
      otherDayStreams: ['collection-demo:m-1:yesterday'],
    });
  });

  it('a comparison has whether the day was over at that time, in the merchant’s time zone', async () => {
    const days = ['2026-12-01', '2026-12-02', '2026-12-03'];
    const newest = log.events.at(-1)?.recordedAt ?? '';
    log.wait(Date.parse('2026-12-02T20:59:59.999Z') - Date.parse(newest));
    for (const day of days) recordDay({ date: day, otherDay: [] });
    log.wait(1);
    recordDay({ date: '2026-12-02', otherDay: [] });
    await project();
    const of = { merchantId: 'm-1', from: '2026-12-01', to: '2026-12-03', limit: 5 };
    const { reconciliations } = await listReconciliations(own.database, of);
    expect(reconciliations.map(({ date: day, wasOver }) => [day, wasOver]).reverse()).toEqual([
      ['2026-12-01', true],
      ['2026-12-02', false],
      ['2026-12-03', false],
      ['2026-12-02', true],
    ]);
  });

  it('several files are one statement, each has lines of the day, and row numbers continue', async () => {
    const given = await comparisonOf([]);
    const lines: Readonly<Record<string, readonly StatementLine[]>> = {
      in: [line('RCPT000001', { line: 2 }), line('NOBODY0006', { line: 3 })],
      out: [line('NOBODY0007', { line: 2, kind: 'payment_out', amountMinor: -700n })],
      old: [line('NOBODY0008', { line: 2, ofDay: false })],
    };
    const reader = new (class extends StatementReader {
      readonly channel = 'mpesa';
      override async *read(chunks: AsyncIterable<Uint8Array>) {
        let text = '';
        for await (const chunk of chunks) text += Buffer.from(chunk).toString();
        if (text === 'none') throw new StatementRefused('it is none');
        yield lines[text] ?? [];
      }
    })();
    const of = (...texts: readonly string[]) =>
      compareWithFiles(own.database, {
        ...given,
        reader,
        files: texts.map((text) => ({ name: `${text}.csv`, chunks: bytesOf(text) })),
      });
    const report = await of('in', 'out');
    expect(report).toMatchObject({ lines: 3, statement: { inMinor: 20_000n, outMinor: 700n } });
    expect(report.file).toEqual({
      name: 'in.csv, out.csv',
      sha256: createHash('sha256').update('inout').digest('hex'),
    });
    const unowned = report.open.flatMap(({ line: of }) => (of ? [`${of.receipt} ${of.line}`] : []));
    expect(unowned.toSorted()).toEqual(['NOBODY0006 3', 'NOBODY0007 5']);
    await expect(of('in', 'old')).rejects.toThrow(
      new StatementRefused('old.csv: none of its lines took place on 2026-11-20'),
    );
    await expect(of('in', 'none')).rejects.toThrow(new StatementRefused('none.csv: it is none'));
  });

  it('money that left suspense is open until a statement of its own or a later day shows its return', async () => {
    const stream = collect('sent-later', 'CODE0000003A', { outcome: 'returned' });
    const paid = line('RCPT00003A', { amountMinor: 10_001n });
    const told = async (): Promise<string | undefined> =>
      (await compare([paid])).told.find((each) => each.endsWith(' sent-later'));
    expect(await told()).toBe('not_sent_back RCPT00003A sent-later');

    const reversal = line('REVERSAL3A', {
      kind: 'reversal',
      linkedReceipt: 'RCPT00003A',
      amountMinor: -10_001n,
    });
    const later = await findAccountDay(own.database, '1001', {
      date: '2026-11-24',
      channel: 'mpesa',
    });
    if (!later) throw new Error('no account');
    const report = await compareWithFiles(own.database, {
      ...(await comparisonOf([reversal])),
      day: later,
    });
    const data = recordOf(report);
    expect(data.otherDayStreams).toEqual([stream]);
    log.append<ReconciliationRecorded>(reconciliationStream, {
      type: 'ReconciliationRecorded',
      data,
    });
    expect(await told()).toBe('refunded RCPT00003A sent-later');
  });

  it('an event with very many items of other days names thousands, and stays below the append limit', async () => {
    const lines = Array.from({ length: 501 }, (_none, n) => {
      const code = `LATE${String(n).padStart(4, '0')}`;
      collect(`late-${n}`, code, { paidAtMs: at + 86_400_000 });
      return line(`RCPT${code.slice(-6)}`);
    });
    await project();
    const report = await compareWithFiles(own.database, await comparisonOf(lines));
    const { otherDay, otherDayStreams } = recordOf(report);
    expect([otherDay.length, otherDayStreams?.length]).toEqual([500, 501]);

    const [item] = report.otherDay;
    const [open] = report.open;
    if (!item || !open) throw new Error('there are some');
    const long = {
      ...item,
      reference: 'r'.repeat(64),
      id: `collection-demo:${'m'.repeat(36)}:${'r'.repeat(64)}~4`,
    };
    const most = {
      ...report,
      otherDay: Array.from({ length: 6000 }, () => long),
      open: Array.from({ length: 10_000 }, () => ({
        ...open,
        item: long,
        candidates: [long, long, long],
      })),
    };
    const text = JSON.stringify(recordOf(most), (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(text.length).toBeLessThan(1_000_000);
  });

  it('statement sums contain the lines of the day, even those about items of other days', async () => {
    const given = await comparisonOf([
      line('RCPT000001'),
      line('RCPT00000A', { amountMinor: 10_000n }),
      line('RCPT00000C', { ofDay: false, atMs: at + 86_400_000 }),
      line('NOBODY0005', { kind: 'payment_out', amountMinor: -700n }),
    ]);
    const report = await compareWithFiles(own.database, given);
    expect(report.tallies.of('other_day').lines).toBe(2);
    expect(recordOf(report)).toMatchObject({
      statementInMinor: 20_000n,
      statementOutMinor: 700n,
    });
  });

  it('a full reversal on the statement is reported for the items it concerns', async () => {
    const back = { kind: 'reversal', linkedReceipt: 'RCPT00001D' } as const;
    const wentBack = async (amountMinor: bigint): Promise<readonly string[]> => {
      const lines = [line('RCPT00001D', { amountMinor: 10_001n })];
      const given = await comparisonOf([...lines, line('REVERSAL17', { ...back, amountMinor })]);
      return [...(await compareWithFiles(own.database, given)).wentBack];
    };
    expect(await wentBack(-10_001n)).toEqual(['collection-demo:m-1:still-held']);
    expect(await wentBack(-10_000n)).toEqual([]);
  });

  it.each<[string, readonly StatementLine[]]>([
    ['a header alone', []],
    ['other days’ lines alone', [line('RCPT000001', { ofDay: false })]],
    ['lines of the day that did not take place', [line('RCPT000001', { completed: false })]],
    ['both', [line('RCPT000001', { completed: false }), line('RCPT000002', { ofDay: false })]],
  ])('a file with %s has nothing about the day and is rejected', async (_what, lines) => {
    const comparing = compareWithFiles(own.database, await comparisonOf(lines));
    await expect(comparing).rejects.toThrow(StatementRefused);
    await expect(comparing).rejects.toThrow(/none of its \d lines took place on 2026-11-20/);
    expect((await compare(lines)).told.filter((each) => each.includes('by-receipt'))).toEqual([]);
  });

  it('no line is reported as unowned while another merchant is quarantined', async () => {
    await putQuarantines(own.database, [
      {
        merchantId: 'm-2',
        scope: 'demo',
        position: 7n,
        stream: 's',
        type: 't',
        eventId: '0199c1f0-0000-7000-8000-000000000001',
        recordedAt: new Date(at).toISOString() as Instant,
        why: 'spec',
        appliedTo: 6n,
      },
    ]);
    try {
      await expect(compare([line('RCPT000008')])).rejects.toThrow(DependencyUnavailable);
    } finally {
      await endQuarantines(own.database, 'm-2', ['demo']);
    }
    expect((await compare([line('RCPT000008')])).told).toContain('other_merchant RCPT000008');
  });

  it('a payout is dated by its start at the rail, and a line names what may explain it', async () => {
    const [masked, other] = ['2547*****771', '2547*****772'];
    const waited = request('P-waited', masked, 4_000n);
    request('P-open', other, 5_000n);
    log.wait(7 * 86_400_000);
    log.append<PayoutEvent>(waited, {
      type: 'RailPayoutStarted',
      data: { originatorConversationId: 'pp-waited' },
    });
    const went = { kind: 'payment_out', atMs: postedAtMs() } as const;
    await project();
    const report = await compareWithFiles(own.database, {
      ...(await comparisonOf([
        line('WENT000001', { ...went, amountMinor: -4_000n, party: masked }),
        line('WENT000002', { ...went, amountMinor: -5_000n, party: other }),
        line('WENT000003', { ...went, amountMinor: -6_000n, party: other }),
      ])),
      day: await accountDay(dayAt(postedAtMs(), 'Africa/Nairobi')),
    });
    const of = (receipt: string) => report.open.find((each) => each.line?.receipt === receipt);
    expect(of('WENT000001')).toMatchObject({ about: { reference: 'P-waited' }, by: 'amount' });
    expect(of('WENT000002')).toMatchObject({ candidates: [{ reference: 'P-open' }] });
    expect(of('WENT000002')?.about).toBeUndefined();
    expect(of('WENT000003')?.candidates).toBeUndefined();
    const named = recordOf(report).openNamed.find(({ receipt }) => receipt === 'WENT000002');
    expect(named).toMatchObject({ mayBe: ['payout-demo:m-1:P-open'] });
  });
});

describe('the items a day left open, seen later', () => {
  it('are settled by later postings, decisions or corrections, and every note of them remains', async () => {
    const party = '2547*****773';
    const pending = collect('SETTLES', 'CODE0000004A', {
      outcome: 'pending',
      phoneMasked: party,
      paidAtMs: postedAtMs(),
    });
    const held = collect('HELD', 'CODE0000004B', { outcome: 'held' });
    const open = (finding: 'missing_here' | 'in_suspense', receipt: string, stream: string) => ({
      finding,
      receipt,
      stream,
      amountMinor: 10_000n,
    });
    const openNamed = [
      open('missing_here', 'RCPT00004A', pending),
      open('in_suspense', 'RCPT00004B', held),
      open('missing_here', 'NEVER0004C', pending),
    ];
    const recordedAt = new Date(postedAtMs()).toISOString() as Instant;
    await project();
    const report = await compareWithFiles(own.database, await comparisonOf([line('RCPT000001')]));
    const data = { ...recordOf(report), openNamed };
    const settled = async () => [...(await settledSince(own.database, data, recordedAt))];
    expect(await settled()).toEqual([]);

    log.append<CollectionEvent>(pending, {
      type: 'RailConfirmed',
      data: { by: 'callback', resultCode: '0', receipt: 'RCPT00004A', amountMinor: 10_000n },
    });
    payByQuery(log, pending);
    const arrived = { receipt: 'RCPT00004B', amountMinor: 10_001n };
    const legs = suspenseReturnLegs({ rail: 'mpesa', amountMinor: 10_001n });
    log.append<CollectionEvent>(held, { type: 'SuspenseResolved', data: { ...arrived, legs } });
    const noted = { merchantId: 'm-1', mode: 'demo', accountNo: '1001', date } as const;
    for (const note of ['asked M-Pesa', 'it came']) {
      const lines = [{ finding: 'missing_here', receipt: 'RCPT00004A' }] as const;
      const [event] = log.append<DifferencesNoted>(reconciliationStream, {
        type: 'DifferencesNoted',
        data: { ...noted, note, lines },
      });
      const actor = { kind: 'operator', id: note };
      if (event) Object.assign(event, { metadata: { ...event.metadata, actor } });
    }
    await project();
    expect(await settled()).toEqual([0, 1]);
    const notes = await differenceNotes(own.database, noted);
    expect(notes.map(({ note, person }) => [note, person])).toEqual([
      ['asked M-Pesa', 'asked M-Pesa'],
      ['it came', 'it came'],
    ]);
    expect(notes[0]?.lines).toEqual([{ finding: 'missing_here', receipt: 'RCPT00004A' }]);
    expect(await differenceNotes(own.database, { ...noted, date: '2026-11-21' })).toEqual([]);
  });
});

async function accountDay(of = date): Promise<AccountDay> {
  const day = await findAccountDay(own.database, '1001', { date: of, channel: 'mpesa' });
  if (!day) throw new Error('no account');
  return day;
}

async function comparisonOf(lines: readonly StatementLine[]): Promise<Comparison> {
  const reader = new (class extends StatementReader {
    readonly channel = 'mpesa';
    override async *read(): AsyncGenerator<readonly StatementLine[]> {
      yield await Promise.resolve(lines);
    }
  })();
  const files = [{ name: 'day.csv', chunks: noBytes() }];
  return { day: await accountDay(), files, reader, by: 'platform', maxAgeMs: 3_600_000 };
}

function recordDay(
  of: Pick<ReconciliationRecorded['data'], 'date' | 'otherDay'> &
    Partial<Pick<ReconciliationRecorded['data'], 'by' | 'otherDayStreams'>>,
): void {
  log.append<ReconciliationRecorded>(reconciliationStream, {
    type: 'ReconciliationRecorded',
    data: {
      merchantId: 'm-1',
      mode: 'demo',
      accountNo: '1001',
      currency: 'KES',
      fileSha256: 'd',
      fileLines: 1,
      position: '1000',
      statementInMinor: 10_000n,
      statementOutMinor: 0n,
      collections: 0,
      collectionsMinor: 0n,
      collectionFeesMinor: 0n,
      payouts: 0,
      payoutsMinor: 0n,
      payoutFeesMinor: 0n,
      tallies: [],
      open: 0,
      openNamed: [],
      ...of,
    },
  });
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

async function* noBytes(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new Uint8Array());
}

/** Collections that a query settled have the time of their posting. */
function postedAtMs(): number {
  return Date.parse(log.events.at(-1)?.recordedAt ?? '');
}
