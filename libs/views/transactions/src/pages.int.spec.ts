import { rowsRead, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createViews, viewSchema } from '#views/view-set';
import { byAccountReference, knownStreamsByAccountReference } from './project.js';
import { findOwnItems, type OwnSearch, ownSearchStatement } from './own-items.js';
import {
  findStreamsByPhone,
  listTransactions,
  nameOf,
  type PageStatement,
  pageStatement,
  streamsByPhone,
} from './query.js';

const rows = 40_000;
const rowsPerDay = 200;
const newestDay = '2026-10-31';
const of = { merchantId: 'm-1', mode: 'demo' } as const;
const bound = { nowMs: Date.now(), maxAgeMs: 3_600_000 };

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()], statementTimeoutMs: 120_000 });
  await createViews(own.database, viewSchema());
  await fill();
});
afterAll(() => own.drop());

/**
 * A history of 200 days: of each fifty, one is settled days after its request, and one waits in suspense. Nearly all
 * came by V4, two without a push, and some by V3.
 */
async function fill(): Promise<void> {
  const { database } = own;
  await database.query(
    `insert into transactions
     select i * 1000, 'collection-demo:m-1:R' || i, 'm-1', 'demo', case when i in (7, 13) then 'payout' else 'collection' end,
       'R' || i, 'KES', gen_random_uuid(), '1001', 'mpesa', 100, now(), asked, 'pending', 100, 2, 'ws_' || i, null, null, false,
       null, null, null
     from (select i, $2::date - ($1 - i) / $3 as asked from generate_series(1, $1::int) i) item`,
    [rows, newestDay, rowsPerDay],
  );
  await database.query(
    `insert into transaction_listings
     select position, merchant_id, mode,
       case when type = 'payout' then type when i in (11, 29) then 'c2b' when i % 2000 = 11 then 'v3' else 'v4' end,
       case i % 50 when 3 then 'failed' when 5 then 'pending' else 'completed' end,
       case when i % 50 in (3, 5) then null else created_on + late end,
       case when i % 50 = 3 then null else created_on + late end
     from transactions
     cross join lateral (select position / 1000 as i) of_row
     cross join lateral (select case when i % 50 = 1 then 1 + (i / 50 % 40)::int else 0 end as late) settled`,
  );
  await database.query(
    `update transactions t set status = l.status, came_by = nullif(l.kind, 'payout'),
       phone_hmac = case when t.position <= $1 * 500 then 'of-a-tester' else 'another' end
     from transaction_listings l where l.position = t.position`,
    [rows],
  );
  await database.query(
    `insert into transaction_days select merchant_id, mode, created_on, min(position), max(position)
     from transactions group by 1, 2, 3`,
  );
  await database.query('update checkpoint set fresh_at = now()');
  for (const table of ['transactions', 'transaction_listings', 'transaction_days'])
    await database.query(`vacuum analyze ${table}`);
}

const looked = (statement: Pick<PageStatement, 'text' | 'values'>): Promise<number> =>
  rowsRead(own.database, statement);

const filters = fc.record(
  {
    dateField: fc.constantFrom('created_at', 'completed_at', 'paid_at'),
    from: fc.constantFrom('2026-04-01', '2026-06-15', '2026-10-30'),
    to: fc.constantFrom('2026-10-30', '2026-11-20'),
    status: fc.constantFrom('pending', 'completed', 'failed', 'pending_approval'),
    type: fc.constantFrom('collection', 'payout'),
    origin: fc.constantFrom('v4', 'v3', 'checkout', 'c2b'),
    before: fc.bigInt({ min: 1n, max: BigInt(rows) * 1000n }),
  },
  { requiredKeys: ['dateField'] },
);

it('every statement has a name that Postgres keeps whole', () => {
  const all = {
    ...of,
    dateField: 'completed_at',
    from: newestDay,
    to: newestDay,
    before: 1n,
    status: 'completed',
    batch: 'B',
    type: 'collection',
    origin: 'checkout',
    limit: 1,
  } as const;
  expect(nameOf(all).length).toBeLessThanOrEqual(63);
  expect(nameOf({ ...all, attention: true, accountNo: '1001' }, 'then').length).toBeLessThanOrEqual(
    63,
  );
});

describe('a page of a long history with many late settlements', () => {
  it('contains what the filters select, in list order, for any filters', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 100 }), async (filter, limit) => {
        const { items, next } = await listTransactions(
          own.database,
          { ...of, ...filter, limit },
          bound,
        );
        const day = {
          created_at: 't.created_on',
          completed_at: 'completed_on',
          paid_at: 'paid_on',
        };
        const found = await own.database.query<{ reference: string; position: bigint }>(
          `select t.reference, t.position from transactions t join transaction_listings l using (position)
           where t.position < $1 and ($2::text is null or l.status = $2) and ($3::text is null or t.type = $3)
             and ($4::date is null or ${day[filter.dateField]} >= $4)
             and ($5::date is null or ${day[filter.dateField]} <= $5) and ($7::text is null or t.came_by = $7)
           order by t.position desc limit $6`,
          [
            filter.before ?? 2n ** 62n,
            filter.status ?? null,
            filter.type ?? null,
            filter.from ?? null,
            filter.to ?? null,
            limit + 1,
            filter.origin ?? null,
          ],
        );
        const shown = found.slice(0, limit);
        expect(items.map(({ reference }) => reference)).toEqual(
          shown.map(({ reference }) => reference),
        );
        expect(next).toBe(found.length > limit ? shown.at(-1)?.position : undefined);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['the usual one', { status: 'completed' }],
    ['a rare one', { status: 'failed' }],
    ['one of a type that hardly is', { status: 'completed', type: 'payout' }],
    ['one of some days', { status: 'failed', from: '2026-06-01', to: '2026-06-30' }],
    ['one of a rare origin', { status: 'completed', origin: 'c2b' }],
    ['one that a rare origin never has', { status: 'pending', origin: 'c2b' }],
    ['any of a rare origin', { origin: 'v3' }],
    ['any of an origin that is not there', { origin: 'checkout' }],
    [
      'any of the usual origin on some days',
      { origin: 'v4', from: '2026-06-01', to: '2026-06-30' },
    ],
  ] as const)('by status or origin reads a few hundred rows: %s', async (_, filter) => {
    const page = { ...of, dateField: 'created_at', limit: 25, ...filter } as const;
    expect(await looked(pageStatement(page))).toBeLessThan(1000);
  });

  it.each([
    ['a day', { from: '2026-06-15', to: '2026-06-15' }],
    ['a day, deep in it', { from: '2026-06-15', to: '2026-06-15', before: 12_500_000n }],
    [
      'a day, behind all that was asked for on it',
      { from: '2026-08-30', to: '2026-08-30', before: 27_000_000n },
    ],
    ['a month', { from: '2026-06-01', to: '2026-06-30' }],
    ['a month’s rare status', { from: '2026-06-01', to: '2026-06-30', status: 'failed' }],
    ['a month’s rare type', { from: '2026-06-01', to: '2026-06-30', type: 'payout' }],
    ['all of a rare origin', { from: '2026-01-01', to: newestDay, origin: 'c2b' }],
  ] as const)('by completion or payment reads a few thousand rows: %s', async (_, filter) => {
    for (const dateField of ['completed_at', 'paid_at'] as const) {
      const page = { ...of, dateField, limit: 25, ...filter };
      expect(await looked(pageStatement(page))).toBeLessThan(5000);
    }
  });
});

it('the newest items of a number with half of the history are found without reading the others', async () => {
  const values = ['of-a-tester', 21];
  expect(await looked({ ...streamsByPhone, values })).toBeLessThan(100);
  expect(await findStreamsByPhone(own.database, 'of-a-tester', 2)).toEqual([
    `collection-demo:m-1:R${rows / 2}`,
    `collection-demo:m-1:R${rows / 2 - 1}`,
  ]);
  expect(await findStreamsByPhone(own.database, 'of-a-tailor')).toEqual([]);
});

it('a collection that a rail names by our own reference is found by an index, except for M-Pesa', async () => {
  const reference = 'OHKNTAU1T0OM';
  const named = { channel: 'airtel', mode: 'demo', reference } as const;
  const { database } = own;
  await database.query(
    `update transactions set account_reference = $1 where reference in ('R21', 'R22')`,
    [reference],
  );
  expect(await knownStreamsByAccountReference(database, named)).toEqual([]);
  await database.query(`update transactions set channel = 'airtel' where reference = 'R21'`);
  const streams = ['collection-demo:m-1:R21'];
  expect(await knownStreamsByAccountReference(database, named)).toEqual(streams);
  const others = [
    { ...named, mode: 'live' as const },
    { ...named, channel: 'other' },
  ];
  for (const other of others)
    expect(await knownStreamsByAccountReference(database, other)).toEqual([]);
  const values = ['demo', 'airtel', reference];
  expect(await looked({ ...byAccountReference, values })).toBeLessThan(10);
});

describe('a merchant’s search', () => {
  const found = async (search: OwnSearch, owner: typeof of = of) => {
    const { items, hasMore } = await findOwnItems(own.database, owner, search, bound);
    return { references: items.map(({ reference }) => reference), hasMore };
  };

  it('finds only a whole reference, and nothing of another merchant', async () => {
    expect(await found({ word: 'R1234' })).toEqual({ references: ['R1234'], hasMore: false });
    const other = { ...of, merchantId: 'm-2' } as unknown as typeof of;
    for (const search of [{ word: 'R1234' }, { beginning: 'R1234' }, { phoneHmac: 'another' }])
      expect(await found(search, other)).toEqual({ references: [], hasMore: false });
  });

  it('finds the first 20 references with a given beginning, and says if there are more', async () => {
    const { references, hasMore } = await found({ beginning: 'R123' });
    expect(references).toHaveLength(20);
    expect(references.slice(0, 3)).toEqual(['R123', 'R1230', 'R12300']);
    expect(hasMore).toBe(true);
    expect(await found({ beginning: 'R3999' })).toEqual({
      references: ['R3999', ...Array.from({ length: 10 }, (_, last) => `R3999${last}`)],
      hasMore: false,
    });
    expect(await found({ beginning: 'r123' })).toEqual({ references: [], hasMore: false });
    expect(await found({ beginning: 'R1_3' })).toEqual({ references: [], hasMore: false });
  });

  it('finds a receipt as the rail wrote it, and a receipt in capitals in any case', async () => {
    const receipts = {
      R11: 'NLJ7RT61SV',
      R12: 'mp210603.1234.l06941',
      R13: 'Mp.Both',
      R14: 'MP.BOTH',
    };
    await own.database.query(
      `insert into receipts select 'demo', given.receipt, position
       from json_each_text($1) as given (reference, receipt) join transactions using (reference)`,
      [JSON.stringify(receipts)],
    );
    for (const word of ['NLJ7RT61SV', 'nlj7rt61sv', 'Nlj7rt61sv'])
      expect((await found({ word })).references).toEqual(['R11']);
    expect((await found({ word: 'mp210603.1234.l06941' })).references).toEqual(['R12']);
    expect((await found({ word: 'MP210603.1234.L06941' })).references).toEqual([]);
    expect((await found({ word: 'Mp.Both' })).references).toEqual(['R14', 'R13']);
    expect(await looked(ownSearchStatement(of, { word: 'Mp.Both' }))).toBeLessThan(100);
  });

  it('finds the newest items of a customer’s number, each with the masked number', async () => {
    await own.database.query(
      `update transactions set phone_masked = '2547*****678' where phone_hmac = 'of-a-tester'`,
    );
    const { items, phones, hasMore } = await findOwnItems(
      own.database,
      of,
      { phoneHmac: 'of-a-tester' },
      bound,
    );
    expect([items.length, hasMore]).toEqual([20, true]);
    expect(items[0]?.reference).toBe(`R${rows / 2}`);
    expect(items.map(({ id }) => phones.get(id))).toEqual(items.map(() => '2547*****678'));
  });

  it.each([
    ['a whole reference', { word: 'R1234' }, 100],
    ['a beginning that all references have', { beginning: 'R' }, 500],
    ['a number that half of the history has', { phoneHmac: 'of-a-tester' }, 60_000],
  ] as const)('reads a bounded part of the history: %s', async (_, search, most) => {
    expect(await looked(ownSearchStatement(of, search))).toBeLessThan(most);
  });
});
