import { instantFromMs, msFromInstant } from '#domain/kernel';
import { settlementLegs } from '#domain/ledger';
import { settlementStream } from '#domain/settlements';
import { type Database } from '#infra/postgres';
import {
  accept,
  HandMadeLog,
  intend,
  onboarded,
  pay,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { applyBatch } from '#views/projection';
import { findStreamsByReceipt } from '#views/transactions';
import { createViews, noteFresh } from '#views/view-set';
import { clearingAsOf, newestSettlements } from './index.js';

let server: ThrowAwayDatabase;
let database: Database;
let log: HandMadeLog;

const account = { channel: 'mpesa', mode: 'demo', currency: 'KES' } as const;
const receipt = 'NLK9SW83UX';
/** The time at which every collection of the steps was paid. */
let paidMs = 0;

function sweep(paidAtMs: number, of = receipt, amountMinor = 4_000n): void {
  const place = { channel: 'mpesa', mode: 'demo', receipt: of } as const;
  log.append(settlementStream(place), {
    type: 'BankSettlementPosted',
    data: {
      ...place,
      currency: 'KES',
      amountMinor,
      legs: settlementLegs({ rail: 'mpesa', amountMinor }),
      paidAt: instantFromMs(paidAtMs),
      by: 'statement',
    },
  });
}

beforeAll(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, 'views_settled');
  database = server.database.beside({ searchPath: ['views_settled'], poolSize: 2 });
  log = onboarded();
  for (const reference of ['A', 'B']) {
    const stream = intend(log, reference);
    accept(log, stream);
    pay(log, stream);
  }
  const paid = log.events.find(({ type }) => type === 'RailConfirmed');
  paidMs = msFromInstant((paid?.data as { paidAt: Parameters<typeof msFromInstant>[0] }).paidAt);
  sweep(paidMs + 60_000);
  sweep(paidMs + 120_000, 'NLK9SW83UY', 1_000n);
  await database.transaction((transaction) => applyBatch(transaction, log.events));
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const asOf = (ms: number) =>
  clearingAsOf(database, { ...account, asOf: instantFromMs(ms), after: 0n });

describe('the clearing account as of a time of the rail', () => {
  it('has each payment and each sweep from its own time on, whenever it was posted (BAL-3)', async () => {
    await noteFresh(database, 0n, new Date(paidMs + 3_600_000));
    const held = async (ms: number) => (await asOf(ms)).ledgerMinor;
    expect(await held(paidMs - 1000)).toBe(0n);
    expect(await held(paidMs)).toBe(20_000n);
    expect(await held(paidMs + 59_999)).toBe(20_000n);
    expect(await held(paidMs + 60_000)).toBe(16_000n);
    expect(await held(paidMs + 120_000)).toBe(15_000n);
  });

  it('is not given while the views may lack earlier postings', async () => {
    await expect(asOf(paidMs + 7_200_000)).rejects.toThrow('behind the time of the comparison');
  });
});

describe('a sweep in the views', () => {
  it('is listed, the newest first, and has its receipt', async () => {
    const listed = await newestSettlements(database, account, 10);
    expect(listed).toMatchObject([
      { receipt: 'NLK9SW83UY', amountMinor: 1_000n, by: 'statement' },
      { receipt, amountMinor: 4_000n, paidAt: new Date(paidMs + 60_000) },
    ]);
    expect(await findStreamsByReceipt(database, 'demo', receipt)).toEqual([
      settlementStream({ ...account, receipt }),
    ]);
    expect(await findStreamsByReceipt(database, 'live', receipt)).toEqual([]);
  });

  it('leaves the sum of all balances at zero', async () => {
    const rows = await database.query(
      `select account, (credits_minor - debits_minor)::text as balance from balances
        where account in ('bank-settlement:mpesa', 'rail-clearing:mpesa') order by account`,
    );
    expect(rows).toEqual([
      { account: 'bank-settlement:mpesa', balance: '-5000' },
      { account: 'rail-clearing:mpesa', balance: '-15000' },
    ]);
    const [sum] = await database.query(
      'select sum(credits_minor - debits_minor)::text as zero from balances',
    );
    expect(sum).toEqual({ zero: '0' });
  });
});
