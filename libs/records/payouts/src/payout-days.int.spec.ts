import { type AllowanceClaim, type PayoutEvent, payoutStream } from '#domain/payouts';
import { type Database } from '#infra/postgres';
import { HandMadeLog, type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { applyBatch } from '#views/projection';
import { createViews } from '#views/view-set';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RecordedPayoutAllowances } from './payouts.js';

const schema = 'views_spec_1';
const merchant = { merchantId: 'm-1', mode: 'demo' } as const;

let server: ThrowAwayDatabase;
let database: Database;
let allowances: RecordedPayoutAllowances;
beforeAll(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, schema);
  database = server.database.beside({ searchPath: [schema] });
});
beforeEach(async () => {
  await database.query('delete from records.payout_allowances');
  await database.query('delete from payout_approvals');
  allowances = new RecordedPayoutAllowances(database);
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const streamOf = (reference: string): string => payoutStream({ ...merchant, reference });
const claim = (reference: string, more: Partial<AllowanceClaim> = {}): AllowanceClaim => ({
  kind: 'approved',
  ...merchant,
  timezone: 'Africa/Nairobi',
  amountMinor: 400n,
  stream: streamOf(reference),
  ...more,
});
/** An approval in the log, of today or of another day. */
const approvedInLog = (reference: string, days = 0, more: { readonly batch?: string } = {}) =>
  database.query(
    `insert into payout_approvals
       (stream, merchant_id, mode, amount_minor, batch_stream, is_automatic, approved_at)
     values ($1, 'm-1', 'demo', 400, $3, false, records.now_() + $2 * interval '1 day')`,
    [streamOf(reference), days, more.batch ?? null],
  );
const yesterday = (reference: string) =>
  database.query(`update records.payout_allowances set day = day - 1 where stream = $1`, [
    streamOf(reference),
  ]);

describe('the sum of a day', () => {
  it('counts each payout once, and rejects a payout beyond the bound', async () => {
    const bound = { maxPerDayMinor: 1000n };
    expect(await allowances.claim(claim('p-1', bound))).toBe(true);
    expect(await allowances.claim(claim('p-1', bound))).toBe(true);
    expect(await allowances.claim(claim('p-2', bound))).toBe(true);
    expect(await allowances.claim(claim('p-3', bound))).toBe(false);
    // A refused claim is not counted.
    expect(await allowances.claim(claim('p-3', { amountMinor: 200n, ...bound }))).toBe(true);
    await allowances.giveBack(streamOf('p-1'));
    expect(await allowances.claim(claim('p-4', bound))).toBe(true);
  });

  it('does not let two payouts use the same remaining room', async () => {
    const claims = Array.from({ length: 20 }, (_, at) =>
      allowances.claim(claim(`p-${at}`, { maxPerDayMinor: 1200n })),
    );
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(3);
  });

  it('includes payouts that were counted before a bound was set', async () => {
    await Promise.all(['p-1', 'p-2'].map((reference) => allowances.claim(claim(reference))));
    expect(await allowances.claim(claim('p-3', { maxPerDayMinor: 1000n }))).toBe(false);
    expect(await allowances.claim(claim('p-3', { maxPerDayMinor: 1200n }))).toBe(true);
  });

  it('adds payouts that only the log has, each once, and no payouts of another day', async () => {
    await approvedInLog('p-1');
    await approvedInLog('p-2');
    await approvedInLog('p-3', -2);
    await approvedInLog('p-4', 0, { batch: 'payout-demo:m-1:batch~b' });
    await allowances.claim(claim('p-2'));
    await allowances.claim(claim('', { stream: 'payout-demo:m-1:batch~b' }));
    // The log counts p-1, both count p-2, the records count the batch, and with it its payout.
    expect(await allowances.claim(claim('p-9', { maxPerDayMinor: 1599n }))).toBe(false);
    expect(await allowances.claim(claim('p-9', { maxPerDayMinor: 1600n }))).toBe(true);
  });

  it('counts a payout again on the next day, regardless of its outcome the day before', async () => {
    await allowances.claim(claim('p-1'));
    await yesterday('p-1');
    expect(await allowances.claim(claim('p-1', { maxPerDayMinor: 400n }))).toBe(true);
    expect(await allowances.claim(claim('p-2', { maxPerDayMinor: 400n }))).toBe(false);
  });
});

describe('the day in a merchant’s zone', () => {
  // Midnight in Nairobi is three hours before that of UTC.
  const [evening, night] = ['2026-03-10T20:30:00Z', '2026-03-10T21:30:00Z'];
  /** Claims each of these in turn, up to 800 on one day, while it is that time by the records. */
  const claimAt = async (at: string, ...references: readonly string[]): Promise<boolean[]> => {
    const clockOffsetMs = Date.parse(at) - Date.now();
    const own = database.beside({ clockOffsetMs });
    const claims = new RecordedPayoutAllowances(own);
    const done: boolean[] = [];
    for (const reference of references)
      done.push(await claims.claim(claim(reference, { maxPerDayMinor: 800n })));
    await own.close();
    return done;
  };

  it('begins at its own midnight in the records', async () => {
    expect(await claimAt(evening, 'p-1', 'p-2', 'p-3')).toEqual([true, true, false]);
    expect(await claimAt(night, 'p-3', 'p-4', 'p-5')).toEqual([true, true, false]);
    expect(await claimAt(evening, 'p-5')).toEqual([false]);
  });

  it('begins and ends at its own midnight in the log', async () => {
    const approvals = [
      ...['2026-03-10T20:59:59.999Z', '2026-03-10T21:00:00Z'],
      ...['2026-03-11T20:59:59.999Z', '2026-03-11T21:00:00Z'],
    ];
    for (const [at, approved] of approvals.entries()) {
      await approvedInLog(`p-${at}`);
      await database.query('update payout_approvals set approved_at = $2 where stream = $1', [
        ...[streamOf(`p-${at}`), approved],
      ]);
    }
    // Two are of the day that begins, so it is full.
    expect(await claimAt(night, 'p-9')).toEqual([false]);
    expect(await claimAt(evening, 'p-8', 'p-9')).toEqual([true, false]);
    await database.query('delete from payout_approvals where stream = $1', [streamOf('p-2')]);
    expect(await claimAt(night, 'p-9')).toEqual([true]);
  });
});

it('the log’s approvals end when a payout is rejected or sent back', async () => {
  const log = new HandMadeLog();
  const stream = streamOf('v-1');
  const bound = { amountMinor: 400n, phoneHmac: 'h' };
  const request = { ...merchant, accountNo: '1', currency: 'KES', feeMinor: 0n, channel: 'mpesa' };
  const asked = { ...request, ...bound, reference: 'v-1', phoneMasked: 'm', holder: 'asha' };
  const apply = async (...events: readonly PayoutEvent[]) => {
    const appended = log.append<PayoutEvent>(stream, ...events);
    await database.transaction((transaction) => applyBatch(transaction, appended));
    return database.query('select stream from payout_approvals');
  };
  const approved: PayoutEvent = { type: 'PayoutApproved', data: { holder: 'joseph', ...bound } };
  await database.query(
    `insert into merchants (merchant_id, name, timezone, country) values ('m-1', 'Duka', 'UTC', 'KE')`,
  );
  await apply({ type: 'PayoutRequested', data: asked });
  expect(await apply(approved)).toEqual([{ stream }]);
  expect(await apply({ type: 'PayoutApprovalExpired', data: { why: 'age' } })).toEqual([]);
  expect(await apply(approved)).toEqual([{ stream }]);
  expect(await apply({ type: 'PayoutRejected', data: { reason: 'cancelled', ...bound } })).toEqual(
    [],
  );
});
