import { merchantStream, type MerchantEvent } from '#domain/merchants';
import {
  anyHistory,
  HandMadeLog,
  happen,
  History,
  release,
  type ThrowAwayDatabase,
  throwAwayDatabase,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

let server: ThrowAwayDatabase;
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(() => server.drop());

const state = 'day, currency, type, status, failure_code, under_review';
const items = `
  select merchant_id, mode, account_no, created_on as day, currency, type, status,
    coalesce(failure_code, '') as failure_code, under_review, amount_minor, fee_minor
  from transactions`;
const counted = (owner: string, group: string): string => `
  select ${owner}, ${state}, count(*), sum(amount_minor), sum(fee_minor)
  from (${items}) items group by ${group}mode, ${state}`;
/** The figures, counted from the list. */
const fromList = [
  counted('merchant_id, mode, account_no', 'merchant_id, account_no, '),
  counted(`merchant_id, mode, ''`, 'merchant_id, '),
  counted(`'', mode, ''`, ''),
].join(' union all ');
const stored = `
  select merchant_id, mode, account_no, ${state}, items, amount_minor, fee_minor from day_figures`;
const walletDays = `
  select e.mode, e.currency, a.account_no, (e.recorded_at at time zone m.timezone)::date,
    sum(greatest(amount_minor, 0)), sum(greatest(-amount_minor, 0))
  from ledger_entries e
  join accounts a on 'wallet:' || a.account_no = e.account
  join merchants m using (merchant_id)
  group by 1, 2, 3, 4`;

const differing = (one: string, other: string): string => `
  (select 'excess' as side, o.* from ((${one}) except (${other})) o)
  union all (select 'missing' as side, o.* from ((${other}) except (${one})) o)`;

async function expectCounted({ database }: History): Promise<void> {
  expect(await database.query(differing(stored, fromList))).toEqual([]);
  expect(await database.query(differing('select * from account_days', walletDays))).toEqual([]);
}

const rowsOf = async ({ database }: History): Promise<object[]> => [
  ...(await database.query(`${stored} order by 1, 2, 3, 4, 5, 6, 7, 8, 9`)),
  ...(await database.query('select * from account_days order by 1, 2, 3, 4')),
];

describe('the figures of a day', () => {
  it('equal a count over the list after any history, for any batches', async () => {
    const twoSizes = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom(1, 30, 1000));
    await fc.assert(
      fc.asyncProperty(anyHistory, twoSizes, async (drawn, [size, other]) => {
        const [history, again] = [await History.begin(server), await History.begin(server)];
        try {
          await happen(history, drawn);
          again.log.events.splice(0, Infinity, ...history.log.events);
          await history.project(size);
          await again.project(other);
          await expectCounted(history);
          expect(await rowsOf(again)).toEqual(await rowsOf(history));
        } finally {
          await Promise.all([history.database.close(), again.database.close()]);
        }
      }),
      { numRuns: 25 },
    );
  }, 600_000);

  it('follow an item through suspense, its resolution, a review and a late success', async () => {
    const history = await History.begin(server);
    const steps: readonly ((stream: string) => void)[] = [
      (stream) => {
        history.accept(stream);
      },
      (stream) => {
        history.decline(stream);
      },
      (stream) => {
        history.suspend(stream);
      },
      (stream) => {
        release(history.log.wait(86_400_000), stream);
      },
      (stream) => {
        history.flag(stream);
      },
      (stream) => {
        decideReview(history, stream);
      },
    ];
    try {
      const stream = await history.intend('A');
      await history.project();
      const seen: unknown[] = [];
      for (const step of steps) {
        step(stream);
        await history.project(1);
        await expectCounted(history);
        seen.push(await statesOf(history));
      }
      expect(seen).toEqual([
        [['pending', '', false, '10000', '150']],
        [['failed', 'cancelled', false, '10000', '150']],
        [['pending', '', true, '10000', '150']],
        [['completed', '', false, '10001', '155']],
        [['completed', '', true, '10001', '155']],
        [['completed', '', false, '10001', '155']],
      ]);
    } finally {
      await history.database.close();
    }
  });

  it('follow the merchant’s zone, and begin at its midnight', async () => {
    // Midnight in Kathmandu is at 18:15 UTC.
    const history = await History.begin(server, new HandMadeLog(Date.UTC(2026, 10, 20, 17, 1)));
    try {
      const zone: MerchantEvent = {
        type: 'MerchantRegistered',
        data: { merchantId: 'm-1', name: 'Duka', timezone: 'Asia/Kathmandu', country: 'KE' },
      };
      const registered = history.log.events.findIndex(
        ({ stream }) => stream === merchantStream('m-1'),
      );
      const [first] = history.log.events.slice(registered, registered + 1);
      if (first) history.log.events[registered] = { ...first, ...zone };
      for (let quarter = 0; quarter < 10; quarter += 1) {
        history.log.wait(900_000);
        history.pay(await history.intend(`R${quarter}`));
      }
      await history.project(7);
      await expectCounted(history);
      const days = await history.database.query(
        `select day::text, items from day_figures where merchant_id = 'm-1' and account_no = '' order by day`,
      );
      expect(days).toEqual([
        { day: '2026-11-20', items: 4n },
        { day: '2026-11-21', items: 6n },
      ]);
    } finally {
      await history.database.close();
    }
  });
});

function decideReview(history: History, stream: string): void {
  const data = { decision: 'paid', reason: 'on the statement', proposedBy: 'asha' } as const;
  history.append(stream, { type: 'ReviewDecided', data });
}

async function statesOf({ database }: History): Promise<unknown[]> {
  const rows = await database.query(
    `select status, failure_code, under_review, amount_minor::text, fee_minor::text
     from day_figures where account_no <> '' order by 1`,
  );
  return rows.map((row) => Object.values(row));
}
