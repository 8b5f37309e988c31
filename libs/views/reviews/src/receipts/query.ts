import { type Queryable } from '#infra/postgres';

const select = {
  name: 'receipt-conflicts-to-flag',
  text: `select distinct stream from receipt_conflicts where not flagged order by stream limit $1`,
};

/** The streams of collections whose receipt another stream bears, and that nobody was told of yet. */
export async function unflaggedReceiptConflicts(
  database: Queryable,
  limit: number,
): Promise<string[]> {
  const rows = await database.query<{ stream: string }>(select, [limit]);
  return rows.map(({ stream }) => stream);
}
