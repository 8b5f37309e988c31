import { type Queryable } from '#infra/postgres';
import { isEventOf, millisecond } from './delivery-rows.js';

// Leaves a delivery that is about to be sent, as after an operator's resend, to its sender. A delivery whose event is
// not in these views is postponed every few seconds, and expires by its age alone.
const expire = `
  update records.webhook_deliveries set next_attempt_at = null, outcome = 'expired', ended_at = records.now_()
    where (webhook_id, kind) in (
      select webhook_id, kind from records.webhook_deliveries d
        where next_attempt_at is not null and owed_at < records.now_() - $1 * ${millisecond}
          and (next_attempt_at < records.now_() - interval '1 hour' or not exists (
            select 1 from webhook_events event where ${isEventOf('d')}))
        order by owed_at limit $2 for update of d skip locked)
  returning 1`;

/** Expires deliveries that are too old, including those of disabled endpoints (WEB-11). @returns how many */
export async function expireDeliveries(
  database: Queryable,
  olderThanMs: number,
  max = 1000,
): Promise<number> {
  return (await database.query(expire, [olderThanMs, max])).length;
}
