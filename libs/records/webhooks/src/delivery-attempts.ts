import { type AttemptOutcome, type MadeAttempt, targetName } from './deliveries.js';
import { type Database } from '#infra/postgres';
import {
  failuresToOpen,
  isAboutUrl,
  isSameTarget,
  targetKey,
  targetOf,
  type TargetRow,
  millisecond,
  targetRowOf,
  turns,
} from './delivery-rows.js';

/** A circuit stays open for as long as its target has failed, within these bounds. */
const minOpenSeconds = 5;
const maxOpenSeconds = 300;

// A worker whose lease has ended still writes its attempt. The delivery then has the state of the later attempt, unless
// the earlier one delivered it. A delivery that a person asked for meanwhile stays due. The statement writes the
// circuits first and in one order, as a resend by hand does, so that the two cannot deadlock. The hours are written in one
// order as well.
const record = {
  name: 'webhooks-record',
  text: `
  with made as materialized (
    select distinct on (webhook_id, kind) *
      from json_to_recordset($1) as made (webhook_id uuid, kind text, merchant_id text, mode text, callback_host text,
        attempt integer, started_at timestamptz(3), duration_ms integer, status integer, outcome text, again_in_ms float8)
      order by webhook_id, kind, (outcome = 'delivered') desc, attempt desc
  ),
  attempts as (
    insert into records.webhook_attempts (webhook_id, kind, attempt, started_at, duration_ms, status, outcome)
    select webhook_id, kind, attempt, started_at, duration_ms, status, outcome from made
    on conflict do nothing
    returning webhook_id, kind
  ),
  hours as (
    insert into records.webhook_hours as known (merchant_id, mode, kind, hour, delivered, failed)
    select merchant_id, mode, kind, date_trunc('hour', started_at, 'UTC') as hour,
        count(*) filter (where outcome = 'delivered'), count(*) filter (where outcome <> 'delivered')
      from made join attempts using (webhook_id, kind)
      group by merchant_id, mode, kind, hour order by merchant_id, mode, kind, hour
    on conflict (merchant_id, mode, kind, hour) do update
      set delivered = known.delivered + excluded.delivered, failed = known.failed + excluded.failed
  ),
  deliveries as (
    update records.webhook_deliveries delivery
      set next_attempt_at = records.now_() + again_in_ms * ${millisecond},
        callback_host = made.callback_host,
        outcome = case when made.outcome = 'delivered' then 'delivered' when again_in_ms is null then 'expired' end,
        ended_at = case when again_in_ms is null then records.now_() end
      from made
      where delivery.webhook_id = made.webhook_id and delivery.kind = made.kind
        and delivery.next_attempt_at is not null and delivery.turn <> ${turns.asked}
        and (delivery.attempts = made.attempt or made.outcome = 'delivered')
  ),
  heard as (
    select *, greatest(${minOpenSeconds}, least(${maxOpenSeconds}, extract(epoch from records.now_() - since))) as open_seconds
    from (
      select heard.*,
          heard.failures + case when heard.has_answered then 0 else coalesce(circuit.failures, 0) end as in_a_row,
          case when heard.has_answered then records.now_() else coalesce(circuit.failing_since, records.now_()) end as since,
          case when not heard.was_taken then circuit.refusing_since end as refusing_before
        from json_to_recordset($2) as heard (merchant_id text, mode text, kind text, callback_host text, url text,
            failures integer, has_answered boolean, was_taken boolean, has_refused boolean, status integer, outcome text)
          left join records.webhook_circuits circuit on ${isSameTarget('circuit', 'heard')}
            and ${isAboutUrl('circuit', 'heard.url')}
    ) counted
  )
  insert into records.webhook_circuits as circuit (${targetKey}, url, failures, failing_since, refusing_since, last_attempt_at,
    last_success_at, last_status, last_outcome, closed_until)
  select ${targetKey}, url, in_a_row, case when in_a_row > 0 then since end,
      coalesce(refusing_before, case when has_refused then records.now_() end), records.now_(),
      case when was_taken then records.now_() end, status, outcome,
      case when in_a_row >= ${failuresToOpen} or outcome = 'gone'
        then records.now_() + (0.9 + random() * 0.1) * open_seconds * interval '1 second' end
    from heard order by ${targetKey}
  on conflict (${targetKey}) do update
    set url = excluded.url, failures = excluded.failures, failing_since = excluded.failing_since,
      refusing_since = excluded.refusing_since, last_attempt_at = excluded.last_attempt_at,
      last_success_at = coalesce(excluded.last_success_at,
        case when ${isAboutUrl('circuit', 'excluded.url')} then circuit.last_success_at end),
      last_status = excluded.last_status, last_outcome = excluded.last_outcome, closed_until = excluded.closed_until
  returning ${targetKey}, failures`,
};

interface Heard {
  readonly failures: number;
  readonly has_answered: boolean;
  readonly was_taken: boolean;
  readonly has_refused: boolean;
}

/** Returns the attempt's effect on its target. A refusal concerns the event, and shows that the target answers (WEB-13). */
function heardAfter(before: Heard, outcome: AttemptOutcome): Heard {
  if (outcome === 'delivered')
    return { failures: 0, has_answered: true, was_taken: true, has_refused: false };
  if (outcome === 'refused')
    return { ...before, failures: 0, has_answered: true, has_refused: true };
  return { ...before, failures: before.failures + 1 };
}

/** A target's state with the target and its last attempt. */
interface HeardRow extends Heard, TargetRow, Pick<MadeAttempt, 'outcome'> {
  /** The endpoint's URL; null for a callback host. */
  readonly url: string | null;
  readonly status: number | undefined;
}

/** The effect of attempts that end together on each target, by the target's name. */
function heardOf(attempts: readonly MadeAttempt[]): ReadonlyMap<string, HeardRow> {
  const heard = new Map<string, HeardRow>();
  const nothing = { failures: 0, has_answered: false, was_taken: false, has_refused: false };
  for (const { delivery, outcome, status } of attempts) {
    const name = targetName(delivery.goesTo);
    const url = delivery.goesTo.callbackHost === '' ? delivery.url : null;
    const before = heard.get(name);
    const now = heardAfter(before?.url === url ? before : nothing, outcome);
    heard.set(name, { ...now, ...targetRowOf(delivery.goesTo), url, status, outcome });
  }
  return heard;
}

/** Writes attempts, and opens or closes the circuits of their targets. @returns for each, true if it opened its circuit */
export async function recordAttempts(
  database: Database,
  attempts: readonly MadeAttempt[],
): Promise<readonly { isNowOpen: boolean }[]> {
  const made = attempts.map(({ delivery, outcome, status, durationMs, againInMs }) => ({
    webhook_id: delivery.webhookId,
    kind: delivery.kind,
    merchant_id: delivery.goesTo.merchantId,
    mode: delivery.goesTo.mode,
    attempt: delivery.attempt,
    callback_host: delivery.goesTo.callbackHost,
    started_at: delivery.leasedAt,
    duration_ms: durationMs,
    status,
    outcome,
    again_in_ms: againInMs,
  }));
  const heard = heardOf(attempts);
  const values = [JSON.stringify(made), JSON.stringify([...heard.values()])];
  const rows = await database.query<TargetRow & { failures: number }>(record, values);
  const opened = new Map(
    rows.map((row) => {
      const name = targetName(targetOf(row));
      const before = row.failures - (heard.get(name)?.failures ?? 0);
      return [name, row.failures >= failuresToOpen && before < failuresToOpen];
    }),
  );
  // Report an opened circuit once per target.
  return attempts.map(({ delivery }) => {
    const name = targetName(delivery.goesTo);
    const isNowOpen = opened.get(name) ?? false;
    opened.delete(name);
    return { isNowOpen };
  });
}
