import { type Queryable } from '#infra/postgres';
import { type Differences } from './difference.js';
import { rowsWhere } from './paged-rows.js';
import { beforeAllPositions } from './stored-lines.js';

/** Tables whose rows depend on a row of the list, with the column and their keys. */
const tables = [
  { table: 'rail_queries', by: 'stream', key: ['stream'], before: [''] },
  { table: 'reviews', by: 'stream', key: ['stream'], before: [''] },
  {
    table: 'transaction_listings',
    by: 'position',
    key: ['position'],
    before: [beforeAllPositions],
  },
  {
    table: 'paid_days_left',
    by: 'position',
    key: ['position', 'day'],
    before: [beforeAllPositions, '-infinity'],
  },
  ...(['rail_reference', 'receipt'] as const).map((name) => ({
    table: `${name}s`,
    by: 'position' as const,
    key: ['mode', name, 'position'],
    before: ['', '', beforeAllPositions],
  })),
] as const;

/** Finds rows that depend on no existing row. The others are compared together with the row that they depend on. */
export async function checkStrays(database: Queryable, differences: Differences): Promise<void> {
  for (const { table, by, key, before } of tables) {
    const condition = `not exists (select 1 from transactions t where t.${by} = p.${by})`;
    for await (const row of rowsWhere(database, { table, key, before, condition }))
      differences.add({ table, [by]: row[by], field: 'row', expected: null, found: 'a row' });
  }
}
