import { type Queryable } from '#infra/postgres';
import { isDifferent, lineOfBoth, nameDifference, type SumsTable } from './compared-sums.js';
import { type Differences } from './difference.js';

const state = ['currency', 'type', 'status', 'failure_code', 'under_review'] as const;
const key = ['merchant_id', 'mode', 'account_no', 'day', ...state] as const;
const sums = ['items', 'amount_minor', 'fee_minor'] as const;
const table: SumsTable = {
  table: 'day_figures',
  key,
  sums,
  accountOf: (values) => values.join(':'),
};

/** Items that one statement counts. A day counts as some items more, since each costs a look-up. */
const itemsAtOnce = 20_000;
const itemsOfADay = 100;

/** Days of a merchant's mode, inclusive. */
interface Range {
  readonly part: string;
  readonly merchant_id: string;
  readonly mode: string;
  readonly first: string;
  readonly last: string;
}

// Numbers that were changed by hand only make a part larger or smaller.
const selectRanges = `
  select part::text, merchant_id, mode, min(day)::text as first, max(day)::text as last
  from (
    select merchant_id, mode, day,
      floor(sum(items) over (order by merchant_id, mode, day) / ${itemsAtOnce}) as part
    from (
      select merchant_id, mode, day, sum(items) + ${itemsOfADay} as items
      from (
        select merchant_id, mode, day, 0 as items from transaction_days
        union all
        select merchant_id, mode, day, greatest(items, 0) from day_figures where merchant_id <> ''
      ) known
      group by merchant_id, mode, day
    ) days
  ) parts
  group by part, merchant_id, mode
  order by parts.part, merchant_id, mode`;

const ofRange = (alias: string, day: string): string =>
  `${alias}.merchant_id = asked.merchant_id and ${alias}.mode = asked.mode and ${alias}.${day} between asked.first and asked.last`;
const edge = (value: string): string =>
  `(select ${value} from transaction_days d where ${ofRange('d', 'day')})`;

/** @param isBounded true to read only the items between the positions that the days have in `transaction_days` */
const compareRanges = (isBounded: boolean): string => `
  select different.line
  from unnest($1::text[], $2::text[], $3::date[], $4::date[]) as asked (merchant_id, mode, first, last)
  cross join lateral (
    select ${lineOfBoth(table)}
    from (
      select asked.merchant_id, asked.mode, coalesce(i.account_no, '') as account_no, i.day, ${state.join(', ')},
        count(*) as items, sum(amount_minor) as amount_minor, sum(fee_minor) as fee_minor
      from (
        select account_no, created_on as day, currency, type, status, coalesce(failure_code, '') as failure_code,
          under_review, amount_minor, fee_minor
        from transactions t where ${ofRange('t', 'created_on')}
        ${isBounded ? `and t.position between ${edge('min(d.first_position)')} and ${edge('max(d.last_position)')}` : ''}
      ) i
      group by grouping sets ((account_no, day, ${state.join(', ')}), (day, ${state.join(', ')}))
    ) e
    full join (select * from day_figures f where ${ofRange('f', 'day')}) s using (${key.join(', ')})
    where ${isDifferent(table)}
  ) different`;
const bounded = compareRanges(true);
const unbounded = compareRanges(false);

/** The rows of all merchants, by the rows of each. */
const comparePlatform = `
  select ${lineOfBoth(table)}
  from (
    select '' as merchant_id, mode, '' as account_no, day, ${state.join(', ')},
      ${sums.map((sum) => `sum(${sum}) as ${sum}`).join(', ')}
    from day_figures where merchant_id <> '' and account_no = ''
    group by mode, day, ${state.join(', ')}
  ) e
  full join (select * from day_figures where merchant_id = '') s using (${key.join(', ')})
  where ${isDifferent(table)}`;

/**
 * Compares the figures of days with the list, which itself is compared with the log. Each statement is one snapshot, in
 * which list and figures agree at any time. The positions of a day bound its reading. If something differs, those may
 * be wrong themselves: the items are then read without them.
 */
export async function checkDayFigures(
  database: Queryable,
  differences: Differences,
): Promise<void> {
  const ranges = await database.query<Range>(selectRanges);
  for (let first = 0; first < ranges.length;) {
    const part = ranges[first]?.part;
    let end = first + 1;
    while (end < ranges.length && ranges[end]?.part === part) end += 1;
    await compareRangesOf(database, ranges.slice(first, end), differences);
    first = end;
  }
  const lines = await database.query<{ line: string }>(comparePlatform);
  for (const { line } of lines) nameDifference(line, table, differences);
}

async function compareRangesOf(
  database: Queryable,
  ranges: readonly Range[],
  differences: Differences,
): Promise<void> {
  const values = (['merchant_id', 'mode', 'first', 'last'] as const).map((column) =>
    ranges.map((range) => range[column]),
  );
  if ((await database.query(bounded, values)).length === 0) return;
  const lines = await database.query<{ line: string }>(unbounded, values);
  for (const { line } of lines) nameDifference(line, table, differences);
}
