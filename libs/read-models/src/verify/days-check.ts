import { type Queryable } from '#postgres';
import { type Differences } from './difference.js';
import { fieldsOf, lineOf, StoredLines } from './stored-lines.js';

const select = `
  select ${lineOf([
    'merchant_id',
    'mode',
    `to_char(day, 'YYYY-MM-DD')`,
    'f.first_position',
    'd.first_position',
    'f.last_position',
    'd.last_position',
  ])}
  from transaction_days d
  full join (
    select merchant_id, mode, created_on as day,
      min(position) as first_position, max(position) as last_position
    from transactions group by merchant_id, mode, created_on
  ) f using (merchant_id, mode, day)
  where (d.first_position, d.last_position) is distinct from (f.first_position, f.last_position)`;

/** Between which positions a day's items stand, against the list, which is compared with the log itself. */
export async function checkDays(transaction: Queryable, differences: Differences): Promise<void> {
  const lines = await StoredLines.open(transaction, 'days', select);
  for await (const line of lines.rest()) {
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
