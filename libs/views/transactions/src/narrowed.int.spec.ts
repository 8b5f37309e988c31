import { rowsRead, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createViews, viewSchema } from '#views/view-set';
import { listTransactions, type PageStatement, pageStatement } from './query.js';

const rows = 200_000;
const rowsPerDay = 1000;
const newestDay = '2026-10-31';
const of = { merchantId: 'm-1', mode: 'demo' } as const;
const bound = { maxAgeMs: 3_600_000 };

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()], statementTimeoutMs: 120_000 });
  await createViews(own.database, viewSchema());
  await fill();
}, 300_000);
afterAll(() => own.drop());

/**
 * A history of 200 days with three accounts: most items are of the first, a tenth of the second, and five of the third.
 * Each 40th is a payout, and of these some need approval, some are pending, and some of the pending wait for float. One
 * item in 2,000 is under review, whatever its status. Each day's last items fall back to the day before, as after a
 * clock that went back.
 */
async function fill(): Promise<void> {
  const { database } = own;
  await database.query(
    `insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no, channel,
       requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review, completed_at, waiting_since)
     select i * 10, type || '-demo:m-1:R' || i, 'm-1', 'demo', type, 'R' || i, 'KES', gen_random_uuid(),
       case when i % 39999 = 0 then '1003' when i % 10 = 3 then '1002' else '1001' end, 'mpesa', 100, now(),
       $2::date - ($1 - i) / $3 - case when i % $3 > $3 - 5 then 1 else 0 end,
       case when type = 'payout' and i % 4000 = 0 then 'pending_approval'
         when type = 'payout' and i % 4000 < 400 then 'pending'
         when i % 50 = 7 then 'failed' else 'completed' end,
       100, 2, i % 2000 = 11, now(), case when i % 8000 < 400 then now() end
     from (select i, case when i % 40 = 0 then 'payout' else 'collection' end as type
       from generate_series(1, $1::int) i) item`,
    [rows, newestDay, rowsPerDay],
  );
  await database.query(
    `insert into transaction_listings
     select position, merchant_id, mode, case type when 'payout' then type else 'v4' end, status,
       case when status = 'completed' then created_on + 1 end, case when status = 'completed' then created_on + 1 end
     from transactions`,
  );
  await database.query(
    `insert into reviews select stream, merchant_id, mode, reference, 'no_answer', now(), position
     from transactions where under_review`,
  );
  await database.query(
    `insert into transaction_days select merchant_id, mode, created_on, min(position), max(position)
     from transactions group by 1, 2, 3`,
  );
  await database.query(
    `insert into day_figures
     select merchant_id, mode, account_no, created_on, currency, type, status, '', under_review, count(*),
       sum(amount_minor), sum(fee_minor)
     from transactions group by 1, 2, 3, 4, 5, 6, 7, 8, 9`,
  );
  await database.query('update checkpoint set fresh_at = now()');
  for (const table of ['transactions', 'transaction_listings', 'transaction_days', 'day_figures'])
    await database.query(`vacuum analyze ${table}`);
}

const looked = (statement: Pick<PageStatement, 'text' | 'values'>): Promise<number> =>
  rowsRead(own.database, statement);

const filters = fc.record(
  {
    dateField: fc.constantFrom('created_at', 'created_at', 'completed_at', 'paid_at'),
    narrow: fc.constantFrom(
      { attention: true as const },
      { accountNo: '1001' },
      { accountNo: '1002' },
      { accountNo: '1003' },
      { accountNo: '1009' },
      { attention: true as const, accountNo: '1002' },
    ),
    from: fc.constantFrom('2026-06-15', '2026-10-30'),
    to: fc.constantFrom('2026-10-30', '2026-11-20'),
    status: fc.constantFrom('pending', 'completed', 'failed', 'pending_approval'),
    type: fc.constantFrom('collection', 'payout'),
    before: fc.bigInt({ min: 1n, max: BigInt(rows) * 10n }),
  },
  { requiredKeys: ['dateField', 'narrow'] },
);

const plain = `
  select t.reference, t.position from transactions t join transaction_listings l using (position)
  where t.position < $1 and ($2::text is null or t.status = $2) and ($3::text is null or t.type = $3)
    and ($4::text is null or t.account_no = $4)
    and (not $5 or t.status = 'pending_approval' or t.under_review
      or (t.status = 'pending' and t.waiting_since is not null))
    and ($6::date is null or day >= $6) and ($7::date is null or day <= $7)
  order by t.position desc limit $8`;
const dayOf = { created_at: 't.created_on', completed_at: 'completed_on', paid_at: 'paid_on' };

describe('a page of one account, or of what needs attention (LIST-29)', () => {
  it('has what the filters say, in the order of the list, and the right next page', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 60 }), async (filter, limit) => {
        const { narrow, ...others } = filter;
        const page = { ...of, ...others, ...narrow, limit };
        const { items, next } = await listTransactions(own.database, page, bound);
        const { accountNo = null, attention = false } = narrow as {
          readonly accountNo?: string;
          readonly attention?: true;
        };
        const { before = 2n ** 62n, status = null, type = null, from = null, to = null } = filter;
        const found = await own.database.query<{ reference: string; position: bigint }>(
          plain.replaceAll(' day ', ` ${dayOf[filter.dateField]} `),
          [before, status, type, accountNo, attention, from, to, limit + 1],
        );
        const shown = found.slice(0, limit);
        expect(items.map(({ reference }) => reference)).toEqual(
          shown.map(({ reference }) => reference),
        );
        expect(next).toBe(found.length > limit ? shown.at(-1)?.position : undefined);
      }),
      { numRuns: 60 },
    );
  }, 300_000);

  it.each([
    ['attention', { attention: true }, 5000],
    ['attention of a day', { attention: true, from: '2026-06-15', to: '2026-06-15' }, 5000],
    ['attention of an account', { attention: true, accountNo: '1002' }, 9000],
    ['an account with most items', { accountNo: '1001' }, 5000],
    ['an account with few', { accountNo: '1003' }, 20_000],
    ['an account with none', { accountNo: '1009' }, 2000],
    ['a rare status of an account', { accountNo: '1002', status: 'pending' }, 9000],
    ['an account deep in the list', { accountNo: '1002', before: 500_000n }, 9000],
  ] as const)('reads a small part of 200,000 rows: %s', async (_, filter, most) => {
    const page = { ...of, dateField: 'created_at', limit: 50, ...filter } as const;
    expect(await looked(pageStatement(page))).toBeLessThan(most);
  });

  it.each([
    ['an account with most items', { accountNo: '1001' }],
    ['an account with few', { accountNo: '1003' }],
    ['an account with none', { accountNo: '1009' }],
    ['an account without a payout that is pending', { accountNo: '1003', status: 'pending' }],
    ['an account deep in the list', { accountNo: '1002', before: 500_000n }],
    ['an account, of one day', { accountNo: '1003', from: '2026-06-15', to: '2026-06-15' }],
  ] as const)('reads a small part by another day: %s', async (_, filter) => {
    for (const dateField of ['completed_at', 'paid_at'] as const) {
      const page = { ...of, dateField, limit: 50, from: '2026-04-20', ...filter };
      expect(await looked(pageStatement(page))).toBeLessThan(20_000);
    }
  });
});
