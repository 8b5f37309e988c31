import { setImmediate as pause } from 'node:timers/promises';
import { type RecordedEvent } from '#domain/event-sourcing';
import {
  correct,
  eventually,
  type History,
  ReadOnlyLog,
  type ThrowAwayDatabase,
  useHistory,
} from '#testing';
import { describe, expect, it } from '@jest/globals';
import { verifyViews } from './verify-views.js';

let server: ThrowAwayDatabase;
let history: History;
useHistory((begun, database) => {
  history = begun;
  server = database;
});

/** A log that behaves like a server's: other tasks run in between, and the reader waits when the test says so. */
class SlowLog extends ReadOnlyLog {
  constructor(
    log: History['log'],
    private readonly before: (index: number) => Promise<unknown> = pause,
  ) {
    super(log);
  }
  override async *readAll(): AsyncGenerator<RecordedEvent, void, void> {
    for (const [index, event] of [...this.seen()].entries()) {
      if (index % 20 === 0) await this.before(index);
      yield event;
    }
  }
}

const verifyWith = (store: SlowLog, maxHeld = 100) =>
  verifyViews({ store, database: history.database, maxNamed: 50, maxHeld });

/** Other transactions in the spec's database, and the age of the oldest. */
async function transactions(): Promise<{ open: number; oldestMs: number }> {
  const [row] = await server.database.query<{ open: number; ms: number }>(`
    select count(*)::integer as open,
      coalesce(max(extract(epoch from clock_timestamp() - xact_start)) * 1000, 0)::float8 as ms
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend' and (xact_start is not null or backend_xmin is not null)`);
  return { open: row?.open ?? 0, oldestMs: row?.ms ?? 0 };
}

async function paid(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const stream = await history.intend(`R${index}`);
    history.accept(stream);
    history.pay(stream);
  }
}

describe('verify', () => {
  it('keeps no snapshot while it waits for the log, and none for longer than seconds', async () => {
    await paid(400);
    await history.project();
    const ages: number[] = [];
    const log = history.log;
    const store = new SlowLog(log, async (index) => {
      ages.push((await transactions()).oldestMs);
      // The pages that were fetched ahead end; then no transaction is open, for as long as the log takes.
      if (index % 400 === 0) await eventually(transactions, ({ open }) => open === 0);
    });
    expect(await verifyWith(store)).toMatchObject({ differences: 0, collections: 400 });
    expect(ages.length).toBeGreaterThan(80);
    expect(Math.max(...ages)).toBeLessThan(60_000);
  });

  /** The batches beside one comparison. Without an end, slow comparisons would meet more work and become slower. */
  const batchesEach = 30;

  /** Work of all kinds: collections that change, corrections that reserve and take. One batch each time. */
  async function work(streams: string[], reserved: { totalMinor: bigint }): Promise<void> {
    for (const end = streams.length + batchesEach; streams.length < end;) {
      const index = streams.length;
      const stream = await history.intend(`W${index}`, index % 3 === 0 ? 'm-2' : 'm-1', 'demo', 0);
      streams.push(stream);
      history.accept(stream);
      const earlier = streams[Math.floor(index / 2)] ?? stream;
      const fates = ['pay', 'decline', 'suspend', 'flag', 'accept'] as const;
      history[fates[index % fates.length] ?? 'pay'](earlier);
      if (index % 4 === 0) correct(history, reserved);
      await history.project();
      await pause();
    }
  }

  const changes = [
    ['balances', `update balances set credits_minor = credits_minor + 1 where account = 'fees'`],
    ['ledger_entries', `update ledger_entries set amount_minor = 7 where stream like '%:R3'`],
    ['transactions', `update transactions set requested_minor = 7 where reference = 'R5'`],
    ['transactions', `delete from transactions where reference = 'R6'`],
    ['receipts', `delete from receipts where receipt = 'RR7'`],
    [
      'open_reservations',
      `delete from open_reservations where source = (select min(source) from open_reservations)`,
    ],
  ] as const;

  it('is exact while the projector applies one batch after the other', async () => {
    await paid(60);
    await history.project();
    const [streams, reserved]: [string[], { totalMinor: bigint }] = [[], { totalMinor: 0n }];
    const compare = async (maxHeld?: number) => {
      const comparing = verifyWith(new SlowLog(history.log), maxHeld);
      const [report] = await Promise.all([comparing, work(streams, reserved)]);
      return report;
    };
    const positions = new Set<bigint>();
    for (let run = 0; run < 10; run += 1) {
      const report = await compare([10, 1000][run % 2]);
      expect(report).toMatchObject({ differences: 0, named: [] });
      positions.add(report.position);
    }
    for (const [table, change] of changes) {
      await history.tamper(change);
      const { differencesByTable } = await compare();
      expect([change, [...differencesByTable.keys()].join()]).toEqual([
        change,
        expect.stringContaining(table),
      ]);
    }
    expect(positions.size).toBeGreaterThan(1);
  });

  it('gives no answer if a quarantine ends during the comparison', async () => {
    await paid(30);
    await history.project();
    await history.tamper(`insert into quarantines
      select 'm-2', 'demo', position, stream, 'RailConfirmed', event_id, now(), 'unreadable', position
      from checkpoint`);
    const log = history.log;
    expect(await verifyWith(new SlowLog(log))).toMatchObject({ differences: 0 });
    const resumed = new SlowLog(log, (index) =>
      index === 40 ? history.tamper(`delete from quarantines`) : pause(),
    );
    await expect(verifyWith(resumed)).rejects.toMatchObject({ name: 'DependencyUnavailable' });
    expect(await verifyWith(new SlowLog(log))).toMatchObject({ differences: 0 });
  });
});
