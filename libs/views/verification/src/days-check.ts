import { type Queryable } from '#infra/postgres';
import { type Differences } from './difference.js';
import { listRanges, rowsWhere } from './paged-rows.js';
import { fieldsOf, lineOf } from './stored-lines.js';

/** Days of a range of the list whose bounds are missing or too narrow. */
const tooNarrow = `
  select merchant_id, mode, day::text
  from (
    select merchant_id, mode, created_on as day,
      min(position) as first_position, max(position) as last_position
    from transactions where position > $1 and position <= $2
    group by merchant_id, mode, created_on
  ) f
  left join transaction_days d using (merchant_id, mode, day)
  where d.first_position is null
    or d.first_position > f.first_position or d.last_position < f.last_position`;

const isItemOfDay = (position: string): string => `exists (
  select 1 from transactions t where t.position = p.${position}
    and t.merchant_id = p.merchant_id and t.mode = p.mode and t.created_on = p.day)`;

/** Days whose bounds are not items of theirs: too wide, or of a day without items. */
const tooWide = {
  table: 'transaction_days',
  key: ['merchant_id', 'mode', 'day'],
  before: ['', '', '-infinity'],
  condition: `not ${isItemOfDay('first_position')} or not ${isItemOfDay('last_position')}`,
} as const;

const among = (day: string): string => `(merchant_id, mode, ${day}) in (
  select * from unnest($1::text[], $2::text[], $3::date[]))`;
const compared = `
  select ${lineOf([
    'merchant_id',
    'mode',
    `to_char(day, 'YYYY-MM-DD')`,
    'f.first_position',
    'd.first_position',
    'f.last_position',
    'd.last_position',
  ])}
  from (select * from transaction_days where ${among('day')}) d
  full join (
    select merchant_id, mode, created_on as day,
      min(position) as first_position, max(position) as last_position
    from transactions where ${among('created_on')} group by merchant_id, mode, created_on
  ) f using (merchant_id, mode, day)
  where (d.first_position, d.last_position) is distinct from (f.first_position, f.last_position)`;
/** The number of days compared by one statement, which reads the whole list; it runs only if days differ. */
const daysAtOnce = 5000;

type Day = Readonly<Record<'merchant_id' | 'mode' | 'day', string>>;

/**
 * Compares the positions that bound a day with the list, which itself is compared with the log. Bounds are right if
 * they enclose each item and are items themselves; both can be checked page by page.
 */
export async function checkDays(database: Queryable, differences: Differences): Promise<void> {
  const unverified = new Map<string, Day>();
  const doubt = (day: Day): void => {
    unverified.set([day.merchant_id, day.mode, day.day].join(':'), day);
  };
  for await (const { after, upTo } of listRanges(database))
    for (const day of await database.query<Day>(tooNarrow, [after, upTo])) doubt(day);
  for await (const row of rowsWhere(database, tooWide)) doubt(row as Day);
  const days = [...unverified.values()];
  for (let first = 0; first < days.length; first += daysAtOnce)
    await compare(days.slice(first, first + daysAtOnce), database, differences);
}

async function compare(
  days: readonly Day[],
  database: Queryable,
  differences: Differences,
): Promise<void> {
  const values = (['merchant_id', 'mode', 'day'] as const).map((name) =>
    days.map((day) => day[name]),
  );
  for (const { line } of await database.query<{ line: string }>(compared, values)) {
    const [merchant, mode, day, first, foundFirst, last, foundLast] = fieldsOf(line);
    const where = { table: 'transaction_days', account: [merchant, mode, day].join(':') };
    const bounds = [
      ['first_position', first ?? null, foundFirst ?? null],
      ['last_position', last ?? null, foundLast ?? null],
    ] as const;
    for (const [field, expected, found] of bounds)
      if (expected !== found) differences.add({ ...where, field, expected, found });
  }
}
