import { HandMadeLog, History, release, type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { databaseNow, noteFresh } from '#views/view-set';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { closingBalances } from './closing-balances.js';

const account = { merchantId: 'm-1', mode: 'demo', accountNo: '1001' } as const;
const bound = { maxAgeMs: 3_600_000 };
const dayMs = 86_400_000;

let server: ThrowAwayDatabase;
/** Paid twice, and taken back. */
const wronglyPaid = [
  { account: 'wallet:1001', amountMinor: -7n },
  { account: 'fees', amountMinor: 7n },
] as const;

let history: History;
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(() => server.drop());
beforeEach(async () => {
  history = await History.begin(server, new HandMadeLog(Date.now() - 40 * dayMs));
});
afterEach(() => history.database.close());

/** The balance at the end of each day, summed up from all entries. */
const summed = `
  select day::date::text as day,
    (select coalesce(sum(amount_minor), 0)::text from ledger_entries
      where account = 'wallet:1001' and (recorded_at at time zone 'Africa/Nairobi')::date <= day) as closing
  from generate_series((records.now_() at time zone 'Africa/Nairobi')::date - 29,
    (records.now_() at time zone 'Africa/Nairobi')::date, interval '1 day') day
  order by day`;

describe('the closing balances of the last days', () => {
  it('are the sums of all entries up to each day’s end', async () => {
    for (let day = 0; day < 39; day += 3) {
      history.pay(await history.intend(`A${day}`));
      const held = await history.intend(`B${day}`);
      history.suspend(held);
      history.log.wait(dayMs);
      release(history.log, held);
      history.payOut(`P${day}`, 'request', 'approve', 'start', 'pay');
      history.log.wait(2 * dayMs - 60_000);
      history.correct(wronglyPaid);
    }
    await history.project(20);
    await noteFresh(history.database, 0n, await databaseNow(history.database));
    const found = await closingBalances(history.database, account, bound);
    const expected = await history.database.query<{ day: string; closing: string }>(summed);
    expect(found?.currency).toBe('KES');
    expect(
      found?.days.map(({ day, closingMinor }) => ({ day, closing: String(closingMinor) })),
    ).toEqual(expected);
    expect(new Set(expected.map(({ closing }) => closing)).size).toBeGreaterThan(10);
    for (const [index, day] of (found?.days ?? []).entries()) {
      const before = found?.days[index - 1]?.closingMinor;
      if (before !== undefined)
        expect(before + day.creditsMinor - day.debitsMinor).toBe(day.closingMinor);
    }
  });

  it('are zero for an account without entries, and unknown for another merchant’s', async () => {
    await history.project();
    await noteFresh(history.database, 0n, await databaseNow(history.database));
    const found = await closingBalances(history.database, account, bound, 3);
    expect(found?.days).toMatchObject([0n, 0n, 0n].map((closingMinor) => ({ closingMinor })));
    const other = { ...account, accountNo: '1002' };
    expect(await closingBalances(history.database, other, bound)).toBeUndefined();
    await expect(closingBalances(history.database, account, { maxAgeMs: -1 })).rejects.toThrow(
      'READ_MODEL_MAX_AGE',
    );
  });
});
