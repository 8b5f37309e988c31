import { randomUUID } from 'node:crypto';
import { type CorrectionTerms, correctionStream } from '#domain/corrections';
import { type Leg, reservationsStream } from '#domain/ledger';
import { type History, threeCollections, useHistory } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { findBalance } from '../query.js';
import { ProjectedCredits, unfinishedCorrections } from '../reservations.js';
import { listCorrections, overdueCorrections } from '../corrections.js';

let history: History;
useHistory(async (begun) => {
  history = begun;
  await threeCollections(history);
});

const wallet = { mode: 'demo', merchantId: 'm-1', accountNo: '1001', currency: 'KES' } as const;
const posted = 19_700n;
let reserved = 0n;
beforeEach(() => {
  reserved = 0n;
});

const legsTaking = (amountMinor: bigint): readonly Leg[] => [
  { account: 'wallet:1001', amountMinor: -amountMinor },
  { account: 'rail-clearing:mpesa', amountMinor },
];

function propose(legs: readonly Leg[]): { stream: string; terms: CorrectionTerms } {
  const stream = correctionStream({ mode: 'demo', id: randomUUID() });
  const { merchantId, mode, currency } = wallet;
  const terms = { merchantId, mode, currency, legs, why: 'paid twice', receipt: 'NLK8RU72TW' };
  history.append(stream, { type: 'CorrectionProposed', data: { ...terms, proposedBy: 'asha' } });
  return { stream, terms };
}
function reserve(source: string, amountMinor: bigint): void {
  reserved += amountMinor;
  const data = { source, amountMinor, totalMinor: reserved };
  history.append(reservationsStream(wallet), { type: 'FundsReserved', data });
}
function post({ stream, terms }: ReturnType<typeof propose>): void {
  const data = { ...terms, proposedBy: 'asha', confirmedBy: 'joseph' };
  history.append(stream, { type: 'CorrectionPosted', data });
}
async function balance(): Promise<readonly (bigint | undefined)[]> {
  await history.tamper('update checkpoint set fresh_at = now()');
  const bound = { nowMs: Date.now(), maxAgeMs: 600_000 };
  const found = await findBalance(history.database, wallet, bound);
  return [found?.postedMinor, found?.reservedMinor, found?.availableMinor];
}
const clean = { differences: 0, named: [] };

describe('a correction that takes money from a wallet', () => {
  it('reduces the available balance when reserved, and the posted balance when posted', async () => {
    const correction = propose(legsTaking(5000n));
    await history.project();
    expect(await balance()).toEqual([posted, 0n, posted]);
    expect(await history.verify()).toMatchObject({ ...clean, corrections: 1, openReservations: 0 });
    reserve(correction.stream, 5000n);
    await history.project();
    expect(await balance()).toEqual([posted, 5000n, posted - 5000n]);
    expect(await history.verify()).toMatchObject({ ...clean, openReservations: 1 });
    post(correction);
    await history.project();
    expect(await balance()).toEqual([posted - 5000n, 0n, posted - 5000n]);
    expect(await history.verify()).toMatchObject({ ...clean, openReservations: 0, postings: 3 });
  });

  it('may make the posted and the available balance negative', async () => {
    const correction = propose(legsTaking(30_000n));
    reserve(correction.stream, 30_000n);
    post(correction);
    await history.project();
    expect(await balance()).toEqual([-10_300n, 0n, -10_300n]);
    expect(await history.verify()).toMatchObject(clean);
  });

  it('is left to the worker while its posting is missing, unless it was released', async () => {
    const [left, released] = [propose(legsTaking(10n)), propose(legsTaking(20n))];
    reserve(left.stream, 10n);
    reserve(released.stream, 20n);
    reserved -= 20n;
    history.append(reservationsStream(wallet), {
      type: 'ReservationReleased',
      data: { source: released.stream, amountMinor: 20n, totalMinor: reserved },
    });
    await history.project(2);
    const due = { olderThanMs: 1000, limit: 10 };
    expect(await unfinishedCorrections(history.database, due)).toEqual([left.stream]);
    const young = { olderThanMs: 86_400_000, limit: 10 };
    expect(await unfinishedCorrections(history.database, young)).toEqual([]);
    expect(await balance()).toEqual([posted, 10n, posted - 10n]);
    expect(await history.verify()).toMatchObject({ ...clean, openReservations: 1 });
  });
});

it('an unconfirmed correction is overdue until it ends, and is then no longer open', async () => {
  const [waiting, ended, done] = [legsTaking(1n), legsTaking(2n), legsTaking(3n)].map(propose);
  reserve(done?.stream ?? '', 3n);
  if (done) post(done);
  const { merchantId, mode } = wallet;
  history.append(ended?.stream ?? '', {
    type: 'CorrectionEnded',
    data: { merchantId, mode, outcome: 'withdrawn' },
  });
  await history.project();
  await history.tamper('update checkpoint set fresh_at = now()');
  const found = (olderThanMs: number) =>
    overdueCorrections(history.database, { olderThanMs, limit: 10 });
  expect([await found(1000), await found(86_400_000)]).toEqual([[waiting?.stream], []]);
  const { corrections } = await listCorrections(history.database, { open: true, limit: 10 });
  expect(corrections).toMatchObject([{ outcome: null, endedAt: null }]);
  const all = await listCorrections(history.database, { open: false, limit: 10 });
  expect(all.corrections.map(({ outcome }) => outcome)).toEqual([null, 'withdrawn', null]);
  expect(await history.verify()).toMatchObject({ ...clean, corrections: 3 });
});

it('credits count everything a wallet ever received, without subtracting debits', async () => {
  const taking = propose(legsTaking(5000n));
  reserve(taking.stream, 5000n);
  post(taking);
  post(
    propose([
      { account: 'wallet:1001', amountMinor: 7n },
      { account: 'fees', amountMinor: -7n },
    ]),
  );
  await history.project();
  const credits = new ProjectedCredits(history.database);
  expect(await credits.creditsOf(wallet)).toBe(posted + 7n);
  expect(await credits.creditsOf({ ...wallet, accountNo: '9999' })).toBe(0n);
});

it('corrections are listed newest first, or only the open ones if asked', async () => {
  const first = propose(legsTaking(1n));
  propose(legsTaking(2n));
  reserve(first.stream, 1n);
  post(first);
  await history.project();
  await history.tamper('update checkpoint set fresh_at = now()');
  const all = await listCorrections(history.database, { open: false, limit: 10 });
  expect(all.corrections.map(({ legs, confirmedBy }) => [legs[0], confirmedBy])).toEqual([
    ['wallet:1001=-2', null],
    ['wallet:1001=-1', 'joseph'],
  ]);
  const open = await listCorrections(history.database, { open: true, mode: 'demo', limit: 10 });
  expect(open.corrections).toHaveLength(1);
  const none = await listCorrections(history.database, { open: false, mode: 'live', limit: 10 });
  expect(none).toEqual({ corrections: [], more: false });
});

it('any batches produce the same tables', async () => {
  const rows = async (): Promise<unknown> =>
    Promise.all(
      ['corrections', 'reservations', 'open_reservations', 'ledger_entries', 'balances'].map(
        (table) => history.tamper(`select t::text from ${table} t order by 1`),
      ),
    );
  const write = (): void => {
    const [one, two] = [propose(legsTaking(100n)), propose(legsTaking(200n))];
    reserve(one.stream, 100n);
    reserve(two.stream, 200n);
    post(one);
  };
  write();
  await history.project(1);
  const oneByOne = await rows();
  for (const table of ['corrections', 'reservations', 'open_reservations', 'ledger_entries'])
    await history.tamper(`truncate ${table}`);
  await history.tamper(
    'truncate balances, transactions, transaction_days, accounts, merchants cascade',
  );
  await history.tamper('update checkpoint set position = 0, stream = null');
  await history.projectAgain();
  expect(await rows()).toEqual(oneByOne);
});

describe('verify reports', () => {
  beforeEach(async () => {
    const correction = propose(legsTaking(5000n));
    reserve(correction.stream, 5000n);
    post(correction);
    reserve(propose(legsTaking(10n)).stream, 10n);
    await history.project();
  });

  it.each([
    [
      `update reservations set total_minor = total_minor - 1`,
      { table: 'reservations', field: 'total_minor', expected: '5010', found: '5009' },
    ],
    [`delete from reservations`, { table: 'reservations', field: 'row', found: null }],
    [
      `update open_reservations set amount_minor = 11`,
      { table: 'open_reservations', field: 'amount_minor', expected: '10', found: '11' },
    ],
    [`delete from open_reservations`, { table: 'open_reservations', field: 'row', found: null }],
    [
      `update corrections set confirmed_by = 'asha' where confirmed_by is not null`,
      { table: 'corrections', field: 'confirmed_by', expected: 'joseph', found: 'asha' },
    ],
    [
      `delete from ledger_entries where stream like 'correction-%' and leg = 0`,
      { table: 'ledger_entries', field: 'row', expected: '-5000', found: null },
    ],
  ])('a manual change: %s', async (statement, difference) => {
    await history.tamper(statement);
    expect((await history.verify()).named).toMatchObject([difference]);
  });

  it('a debit without a reservation, in the log itself', async () => {
    post(propose(legsTaking(7n)));
    await history.project();
    expect((await history.verify()).named).toMatchObject([
      { table: 'events', field: 'reserved', expected: '7', found: '0' },
    ]);
  });

  it('a debit larger than everything ever reserved', async () => {
    post(propose(legsTaking(50_000n)));
    await history.project();
    expect((await history.verify()).named).toMatchObject([
      { table: 'events', field: 'reserved', expected: '50000', found: '0' },
      { table: 'events', field: 'debits', found: '55000', account: 'demo:KES:wallet:1001' },
    ]);
  });

  it('a running total that does not follow from the previous one', async () => {
    reserved += 1n;
    reserve(propose(legsTaking(5n)).stream, 5n);
    await history.project();
    expect((await history.verify()).named).toMatchObject([
      { table: 'events', field: 'totalMinor', expected: '5015', found: '5016' },
    ]);
  });
});
