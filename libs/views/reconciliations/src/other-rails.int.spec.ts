import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type CollectionEvent, collectionStream } from '#domain/collections';
import { type Instant } from '#domain/kernel';
import { collectionLegs } from '#domain/ledger';
import { type Finding, type StatementLine } from '#domain/reconciliation';
import {
  collectionIntent,
  HandMadeLog,
  onboarded,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { applyBatch } from '#views/projection';
import {
  advanceCheckpoint,
  createViews,
  noteFresh,
  readCheckpoint,
  viewSchema,
} from '#views/view-set';
import { findAccountDay } from './account-day.js';
import { findBearers } from './bearers.js';
import { reconcileDay } from './reconcile-day.js';

let own: ThrowAwayDatabase;
const at = Date.UTC(2026, 10, 20, 9);
const party = '2547*****678';
const amountMinor = 10_000n;
const log = onboarded(new HandMadeLog(at));

beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(own.database, viewSchema());
  collect('MP-1', 'mpesa', 'MPESA00001');
  collect('AIR-1', 'airtel', 'MP261120.1234.L06941');
  collect('AIR-2', 'airtel');
  const { position = 0n } = log.events.at(-1) ?? {};
  await own.database.transaction(async (transaction) => {
    await advanceCheckpoint(transaction, await readCheckpoint(transaction), { position });
    await applyBatch(transaction, log.events);
  });
  await noteFresh(own.database, position, new Date());
});
afterAll(() => own.drop());

/** A collection of the same customer and amount; posted if it has a receipt. */
function collect(reference: string, channel: string, receipt?: string): void {
  const key = { mode: 'demo', merchantId: 'm-1', reference } as const;
  const stream = collectionStream(key);
  const terms = { accountNo: '1001', amountMinor, feeMinor: 150n };
  const intent = collectionIntent({ ...key, ...terms });
  log.append<CollectionEvent>(stream, {
    ...intent,
    data: { ...intent.data, channel, accountReference: `CODE${reference}`, phoneMasked: party },
  });
  if (receipt === undefined) return;
  const legs = collectionLegs({ rail: channel, ...terms });
  log.append<CollectionEvent>(
    stream,
    { type: 'RailConfirmed', data: { by: 'query', resultCode: '0', receipt } },
    {
      type: 'WalletPosted',
      data: { ...key, ...terms, currency: 'KES', legs, requestCommitment: 'c' },
    },
  );
}

const line = (number: number, receipt: string): StatementLine => ({
  line: number,
  receipt,
  kind: 'payment_in',
  completed: true,
  ofDay: true,
  atMs: at + number * 1000,
  amountMinor,
  party,
});

async function* statement(
  ...receipts: readonly string[]
): AsyncGenerator<readonly StatementLine[]> {
  await Promise.resolve();
  yield receipts.map((receipt, index) => line(index + 1, receipt));
}

/** Compares the day with a rail's statement of these receipts. */
async function compare(channel: string, ...receipts: readonly string[]) {
  const day = await findAccountDay(own.database, '1001', { date: '2026-11-20', channel });
  if (!day) throw new Error('the account has no day');
  const found: Finding[] = [];
  let matched = 0;
  const { lists } = await reconcileDay(own.database, {
    day,
    lines: statement(...receipts),
    by: 'platform',
    maxAgeMs: 3_600_000,
    onMatched: ({ count }) => (matched += count),
    onFinding: (finding) => found.push(finding),
  });
  const named = found.map(({ name, item }) => [name, item?.reference]);
  return { matched, named, found, collections: lists.collection };
}

it('M-Pesa’s statement is compared with M-Pesa’s items alone (REC-39)', async () => {
  const { named, found, collections } = await compare('mpesa', 'MPESA00001', 'TILL000001');
  expect(named).toEqual([['missing_here', undefined]]);
  expect(found.flatMap(({ candidates = [] }) => candidates)).toEqual([]);
  expect(collections).toMatchObject({ count: 1, amountMinor });
});

it('Airtel’s statement is compared with Airtel’s items alone, under receipts as Airtel writes them', async () => {
  const { matched, named, collections } = await compare('airtel', 'MP261120.1234.L06941');
  expect({ matched, named }).toEqual({ matched: 1, named: [] });
  expect(collections).toMatchObject({ count: 1, amountMinor });
});

it('a line of one rail belongs to no item of another, even under its receipt', async () => {
  const { matched, named } = await compare('airtel', 'MPESA00001');
  expect(matched).toBe(0);
  expect(named).toEqual([
    ['missing_here', undefined],
    ['missing_there', 'AIR-1'],
  ]);
});

it('no payment in M-Pesa’s list belongs to a collection of another rail', async () => {
  const paidAt = new Date(at + 60_000).toISOString() as Instant;
  const { byReceipt } = await findBearers(own.database, {
    channel: 'mpesa',
    mode: 'demo',
    day: '2026-11-20',
    untilMs: at + 60_000,
    isForgottenSoon: false,
    payments: [
      { receipt: 'TILL000001', amountMinor, paidAt, party },
      { receipt: 'TILL000002', amountMinor, paidAt, code: 'CODEAIR-2' },
    ],
  });
  expect([...byReceipt.values()]).toEqual([]);
});
