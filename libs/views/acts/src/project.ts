import { type RecordedEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';
import { actOf } from './act.js';

const insert = {
  name: 'acts-insert',
  text: `insert into acts select * from json_populate_recordset(null::acts, $1)`,
};

/** Inserts the acts in these events. A batch without acts costs no statement. */
export async function projectActs(
  transaction: Queryable,
  events: readonly RecordedEvent[],
): Promise<void> {
  const rows = events.flatMap((event) => actOf(event) ?? []);
  if (rows.length > 0) await transaction.query(insert, [recordset(rows)]);
}
