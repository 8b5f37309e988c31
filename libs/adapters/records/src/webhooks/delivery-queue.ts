import { type WebhookKind } from '#domain/merchants';
import { type Mode } from '#domain/kernel';
import {
  type AttemptOutcome,
  DeliveryQueue,
  type DeliveryTarget,
  type LeasedDelivery,
  type MadeAttempt,
  type ReadyTarget,
  type ReadyTargets,
  targetName,
  type TargetShare,
} from '#edges/webhooks';
import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';

/** Failures in a row that open a target's circuit (WEB-13). */
const failuresToOpen = 3;
const minOpenSeconds = 5;
const maxOpenSeconds = 300;
/** An endpoint that refused an event and took none for so long is listed with those that fail. */
const refusingHours = 24;

const millisecond = `interval '1 millisecond'`;
const endpointKey = 'merchant_id, mode, kind';
const key = `${endpointKey}, callback_host`;
/** Whose turn a delivery is: a person asked for it, it was never attempted, it was. */
export const turns = { asked: 0, first: 1, again: 2 } as const;

const keyIn = (table: string): string => key.replaceAll(/\w+/g, `${table}.$&`);
/** That two rows are of one target. */
const isSame = (one: string, other: string): string => `(${keyIn(one)}) = (${keyIn(other)})`;

/** After the log was restored to a point before, another event may have a delivery's number. */
const isItsEvent = (delivery: string): string =>
  `(event.merchant_id, event.mode, event.sequence, event.id)
      = (${delivery}.merchant_id, ${delivery}.mode, ${delivery}.sequence, ${delivery}.webhook_id)`;

/** A loose index scan: one look for each target, however many deliveries it has. @param max how many targets */
const walk = (after: string, max: string): string => `
  with recursive walk as (
    (select ${key}, 1 as step from records.webhook_deliveries
      where next_attempt_at is not null and (${key}) > (${after})
      order by ${key} limit 1)
    union all
    select next.*, walk.step + 1
      from walk cross join lateral (
        select ${keyIn('d')} from records.webhook_deliveries d
          where d.next_attempt_at is not null and (${keyIn('d')}) > (${keyIn('walk')})
          order by ${keyIn('d')} limit 1) as next
      where walk.step < ${max}
  )`;

// What waits for a host that the merchant's list has no more goes to the endpoint's URL: the host's circuit holds none
// of it up. The first row that is due is looked for by itself: of "exists" Postgres might make a table of all that are.
const ready = {
  name: 'webhooks-ready',
  text: `${walk('$1, $2, $3, $4', '$5')}
  select ${keyIn('walk')}, coalesce(circuit.failures, 0) as failures, circuit.closed_until is not null as is_probe,
      endpoint.enabled is true
        and coalesce(circuit.closed_until <= records.now_(), true)
        and due.turn is not null as is_ready
    from walk
      left join lateral (
        select d.turn from records.webhook_deliveries d
          where ${isSame('d', 'walk')} and d.turn in (${turns.asked}, ${turns.first}, ${turns.again})
            and d.next_attempt_at <= records.now_()
          limit 1) as due on true
      left join webhook_endpoints endpoint using (${endpointKey})
      left join merchants merchant using (merchant_id)
      left join records.webhook_circuits circuit on ${isSame('circuit', 'walk')}
        and (walk.callback_host = '' or walk.callback_host = any (merchant.hosts))
    where endpoint.to_position is null
    order by ${keyIn('walk')}`,
};

// The lease is the next attempt's time. Who tries a target moves the time of the next try in the same statement; it
// waits for no row of a circuit, since who writes attempts down holds several of them. Of each turn as many are looked
// at as may be taken: those that were asked for, then the shares of first attempts and of others, then whatever is left.
const lease = {
  name: 'webhooks-lease',
  text: `
  with asked as materialized (
    select * from json_to_recordset($1) as asked (merchant_id text, mode text, kind text, callback_host text,
      max integer, retries integer, is_probe boolean)
  ),
  tried as (
    update records.webhook_circuits circuit set closed_until = records.now_() + $2 * ${millisecond}
      where (${keyIn('circuit')}) in (
        select ${keyIn('c')} from records.webhook_circuits c join asked using (${key})
          where asked.is_probe and c.closed_until <= records.now_()
          for update of c skip locked)
      returning ${keyIn('circuit')}
  ),
  due as materialized (
    select due.webhook_id, due.kind, endpoint.url, endpoint.standard_headers
      from asked
        join webhook_endpoints endpoint using (${endpointKey})
        cross join lateral (
          select webhook_id, kind from (
            select found.*, row_number() over (partition by turn order by next_attempt_at) as place
              from (values (${turns.asked}), (${turns.first}), (${turns.again})) as lines (line) cross join lateral (
                select webhook_id, kind, next_attempt_at, turn from records.webhook_deliveries d
                  where ${isSame('d', 'asked')} and d.turn = lines.line and d.next_attempt_at <= records.now_()
                  order by d.next_attempt_at limit asked.max
                  for update skip locked) as found
          ) as placed
          order by
            case turn
              when ${turns.asked} then 0
              when ${turns.first} then case when place <= asked.max - asked.retries then 1 else 2 end
              else case when place <= asked.retries then 1 else 2 end
            end,
            next_attempt_at
          limit asked.max) as due
      where endpoint.to_position is null and endpoint.enabled
        and (not asked.is_probe
          or exists (select 1 from tried where ${isSame('tried', 'asked')}))
  ),
  leased as (
    update records.webhook_deliveries delivery
      set attempts = attempts + 1, turn = ${turns.again}, next_attempt_at = records.now_() + $2 * ${millisecond}
      from due
      where delivery.webhook_id = due.webhook_id and delivery.kind = due.kind
      returning delivery.*, due.url, due.standard_headers
  )
  select leased.webhook_id, ${keyIn('leased')}, leased.attempts, records.now_() as leased_at,
      (extract(epoch from records.now_() - leased.owed_at) * 1000)::float8 as age_ms,
      leased.url, leased.standard_headers, event.body, event.callback_url, merchant.hosts
    from leased
      left join merchants merchant using (merchant_id)
      left join webhook_events event on ${isItsEvent('leased')}`,
};

// A worker whose lease has ended writes its attempt down; what stands of the delivery is the later one's, unless this
// one was taken. One that a person asked for meanwhile stays due. The circuits are written first, and in one order: who
// has a delivery sent by hand takes these rows in the same order.
const record = {
  name: 'webhooks-record',
  text: `
  with made as materialized (
    select distinct on (webhook_id, kind) *
      from json_to_recordset($1) as made (webhook_id uuid, kind text, callback_host text, attempt integer,
        started_at timestamptz(3), duration_ms integer, status integer, outcome text, again_in_ms float8)
      order by webhook_id, kind, (outcome = 'delivered') desc, attempt desc
  ),
  attempts as (
    insert into records.webhook_attempts (webhook_id, kind, attempt, started_at, duration_ms, status, outcome)
    select webhook_id, kind, attempt, started_at, duration_ms, status, outcome from made
    on conflict do nothing
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
        from json_to_recordset($2) as heard (merchant_id text, mode text, kind text, callback_host text, failures integer,
            has_answered boolean, was_taken boolean, has_refused boolean, status integer, outcome text)
          left join records.webhook_circuits circuit using (${key})
    ) counted
  )
  insert into records.webhook_circuits as circuit (${key}, failures, failing_since, refusing_since, last_attempt_at,
    last_success_at, last_status, last_outcome, closed_until)
  select ${key}, in_a_row, case when in_a_row > 0 then since end,
      coalesce(refusing_before, case when has_refused then records.now_() end), records.now_(),
      case when was_taken then records.now_() end, status, outcome,
      case when in_a_row >= ${failuresToOpen} or outcome = 'gone'
        then records.now_() + (0.9 + random() * 0.1) * open_seconds * interval '1 second' end
    from heard order by ${key}
  on conflict (${key}) do update
    set failures = excluded.failures, failing_since = excluded.failing_since,
      refusing_since = excluded.refusing_since, last_attempt_at = excluded.last_attempt_at,
      last_success_at = coalesce(excluded.last_success_at, circuit.last_success_at),
      last_status = excluded.last_status, last_outcome = excluded.last_outcome, closed_until = excluded.closed_until
  returning ${key}, failures`,
};

const putOff = `
  update records.webhook_deliveries
    set attempts = attempts - 1, next_attempt_at = records.now_() + $4 * ${millisecond},
      turn = case when attempts = 1 then ${turns.first} else ${turns.again} end
    where webhook_id = $1 and kind = $2 and attempts = $3 and next_attempt_at is not null and turn <> ${turns.asked}`;

interface KeyRow {
  readonly merchant_id: string;
  readonly mode: Mode;
  readonly kind: WebhookKind;
  readonly callback_host: string;
}

interface LeasedRow extends KeyRow {
  readonly webhook_id: string;
  readonly attempts: number;
  readonly leased_at: Date;
  readonly age_ms: number;
  readonly url: string;
  readonly standard_headers: boolean;
  readonly body: string | null;
  readonly callback_url: string | null;
  readonly hosts: readonly string[] | null;
}

/** The deliveries as rows beside the views that tell endpoints and bodies. */
export class RecordedDeliveryQueue extends DeliveryQueue {
  private readonly attempts;

  constructor(private readonly database: Database) {
    super();
    this.attempts = new MicroBatcher({
      flush: (made: readonly MadeAttempt[]) => this.write(made),
    });
  }

  override async ready(after: DeliveryTarget | undefined, max: number): Promise<ReadyTargets> {
    const { merchantId = '', mode = '', kind = '', callbackHost = '' } = after ?? {};
    type Row = KeyRow & { failures: number; is_probe: boolean; is_ready: boolean };
    const rows = await this.database.query<Row>(ready, [merchantId, mode, kind, callbackHost, max]);
    const targets = rows
      .filter(({ is_ready: isReady }) => isReady)
      .map((row): ReadyTarget => ({
        ...keyOf(row),
        failures: row.failures,
        isProbe: row.is_probe,
      }));
    const last = rows.at(-1);
    return { targets, ...(last && rows.length >= max && { next: keyOf(last) }) };
  }

  override async lease(
    shares: readonly TargetShare[],
    leaseMs: number,
  ): Promise<readonly LeasedDelivery[]> {
    const rowsOfShares = shares.map(({ max, retries, isProbe, ...target }) => ({
      ...rowOf(target),
      max,
      retries,
      is_probe: isProbe,
    }));
    const values = [JSON.stringify(rowsOfShares), leaseMs];
    const rows = await this.database.query<LeasedRow>(lease, values);
    return rows.map((row) => ({
      ...keyOf(row),
      webhookId: row.webhook_id,
      attempt: row.attempts,
      leasedAt: row.leased_at,
      ageMs: row.age_ms,
      ...goingTo(row),
      standardHeaders: row.standard_headers,
      ...(row.body !== null && { event: { body: row.body } }),
    }));
  }

  override record(attempt: MadeAttempt): Promise<{ isNowOpen: boolean }> {
    return this.attempts.add(attempt);
  }

  override async putOff(delivery: LeasedDelivery, delayMs: number): Promise<void> {
    const { webhookId, kind, attempt } = delivery;
    await this.database.query(putOff, [webhookId, kind, attempt, delayMs]);
  }

  private async write(
    attempts: readonly MadeAttempt[],
  ): Promise<readonly { isNowOpen: boolean }[]> {
    const made = attempts.map(({ delivery, outcome, status, durationMs, againInMs }) => ({
      webhook_id: delivery.webhookId,
      kind: delivery.kind,
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
    const rows = await this.database.query<KeyRow & { failures: number }>(record, values);
    const opened = new Map(
      rows.map((row) => {
        const name = targetName(keyOf(row));
        const before = row.failures - (heard.get(name)?.failures ?? 0);
        return [name, row.failures >= failuresToOpen && before < failuresToOpen];
      }),
    );
    // Told once for each target.
    return attempts.map(({ delivery }) => {
      const name = targetName(delivery.goesTo);
      const isNowOpen = opened.get(name) ?? false;
      opened.delete(name);
      return { isNowOpen };
    });
  }
}

/**
 * Where the delivery goes at this moment: to the collection's own URL only as long as the merchant's list has its host
 * (WEB-8).
 */
function goingTo(row: LeasedRow): Pick<LeasedDelivery, 'url' | 'goesTo'> {
  const { callback_url: own, hosts, url } = row;
  const host = row.kind === 'v3' && own !== null && URL.canParse(own) ? new URL(own).hostname : '';
  const isOwn = host !== '' && own !== null && (hosts ?? []).includes(host);
  return {
    url: isOwn ? own : url,
    goesTo: { ...keyOf(row), callbackHost: isOwn ? host : '' },
  };
}

interface Heard {
  readonly failures: number;
  readonly has_answered: boolean;
  readonly was_taken: boolean;
  readonly has_refused: boolean;
}

/** What an attempt says of its target: a refusal blames the event, and shows that somebody answers (WEB-13). */
function heardAfter(before: Heard, outcome: AttemptOutcome): Heard {
  if (outcome === 'delivered')
    return { failures: 0, has_answered: true, was_taken: true, has_refused: false };
  if (outcome === 'refused')
    return { ...before, failures: 0, has_answered: true, has_refused: true };
  return { ...before, failures: before.failures + 1 };
}

/** With the target, and the last attempt. */
interface HeardRow extends Heard, KeyRow, Pick<MadeAttempt, 'outcome'> {
  readonly status: number | undefined;
}

/** What attempts of the same moment say of each target, by its name. */
function heardOf(attempts: readonly MadeAttempt[]): ReadonlyMap<string, HeardRow> {
  const heard = new Map<string, HeardRow>();
  const nothing = { failures: 0, has_answered: false, was_taken: false, has_refused: false };
  for (const { delivery, outcome, status } of attempts) {
    const name = targetName(delivery.goesTo);
    const now = heardAfter(heard.get(name) ?? nothing, outcome);
    heard.set(name, { ...now, ...rowOf(delivery.goesTo), status, outcome });
  }
  return heard;
}

function keyOf(row: KeyRow): DeliveryTarget {
  const { merchant_id: merchantId, mode, kind, callback_host: callbackHost } = row;
  return { merchantId, mode, kind, callbackHost };
}

function rowOf({ merchantId, mode, kind, callbackHost }: DeliveryTarget): KeyRow {
  return { merchant_id: merchantId, mode, kind, callback_host: callbackHost };
}

// Of those that wait the oldest, as many as tell enough.
const waiting = `
  select count(*)::integer as waiting,
      coalesce(extract(epoch from records.now_() - min(owed_at)), 0)::float8 as "oldestSeconds",
      coalesce(extract(epoch from records.now_() - min(next_attempt_at) filter (
        where endpoint.enabled and circuit.closed_until is null
          and next_attempt_at <= records.now_())), 0)::float8 as "overdueSeconds"
    from (
      select ${key}, owed_at, next_attempt_at from records.webhook_deliveries
        where next_attempt_at is not null order by owed_at limit 10000
    ) as waiting
      left join webhook_endpoints endpoint using (${endpointKey})
      left join records.webhook_circuits circuit using (${key})
    where endpoint.to_position is null`;

// Of each target the first in line tells enough, however much else waits for it.
const unattempted = `${walk(`'', '', '', ''`, '10000')}
  select coalesce(extract(epoch from records.now_() - min(line.owed_at)), 0)::float8 as seconds
    from walk
      join webhook_endpoints endpoint using (${endpointKey})
      cross join lateral (
        select owed_at from records.webhook_deliveries d
          where ${isSame('d', 'walk')} and d.turn = ${turns.first} and d.next_attempt_at is not null
          order by d.next_attempt_at limit 1) as line
    where endpoint.to_position is null and endpoint.enabled`;

// A callback host to which nothing goes any more is nobody's worry.
const failing = `
  select ${keyIn('circuit')}, endpoint.url, circuit.failures,
      coalesce(circuit.failing_since, circuit.refusing_since) as "failingSince",
      circuit.last_outcome as "lastOutcome", circuit.last_status as "lastStatus", count(*) over ()::integer as "ofAll"
    from records.webhook_circuits circuit join webhook_endpoints endpoint using (${endpointKey})
    where endpoint.to_position is null and endpoint.enabled
      and (circuit.failures >= ${failuresToOpen}
        or circuit.refusing_since < records.now_() - interval '${refusingHours} hours')
      and (circuit.callback_host = '' or exists (
        select 1 from records.webhook_deliveries d where ${isSame('d', 'circuit')} and d.next_attempt_at is not null))
    order by "failingSince" limit $1`;

// One that is to be sent at this moment, as after an operator's resend, is not taken away from who sends it. What these
// views do not hold is put off every few seconds, and ends by its age alone.
const expire = `
  update records.webhook_deliveries set next_attempt_at = null, outcome = 'expired', ended_at = records.now_()
    where (webhook_id, kind) in (
      select webhook_id, kind from records.webhook_deliveries d
        where next_attempt_at is not null and owed_at < records.now_() - $1 * ${millisecond}
          and (next_attempt_at < records.now_() - interval '1 hour' or not exists (
            select 1 from webhook_events event where ${isItsEvent('d')}))
        order by owed_at limit $2 for update of d skip locked)
  returning 1`;

/** How much waits, for metrics: of more than 10,000 the oldest 10,000. */
export async function waitingDeliveries(database: Queryable): Promise<{
  readonly waiting: number;
  readonly oldestSeconds: number;
  /** For how long something is due to an endpoint whose circuit is closed. */
  readonly overdueSeconds: number;
}> {
  const [row] = await database.query<{
    waiting: number;
    oldestSeconds: number;
    overdueSeconds: number;
  }>(waiting);
  return row ?? { waiting: 0, oldestSeconds: 0, overdueSeconds: 0 };
}

/** @returns since the event of the delivery that waits longest for its first attempt, whether or not circuits are open */
export async function unattemptedSeconds(database: Queryable): Promise<number> {
  const [row] = await database.query<{ seconds: number }>(unattempted);
  return row?.seconds ?? 0;
}

/** An enabled endpoint whose circuit is open, or that took nothing for a day and refused what it got. */
export interface FailingEndpoint extends DeliveryTarget {
  /** The endpoint's own, whichever host fails. */
  readonly url: string;
  readonly failures: number;
  readonly failingSince: Date;
  readonly lastOutcome: string;
  readonly lastStatus: number | null;
}

/** Those that fail for longest. @returns `ofAll`: how many there are */
export async function failingEndpoints(
  database: Queryable,
  max: number,
): Promise<{ readonly endpoints: readonly FailingEndpoint[]; readonly ofAll: number }> {
  type Row = KeyRow & Omit<FailingEndpoint, keyof DeliveryTarget> & { readonly ofAll: number };
  const rows = await database.query<Row>(failing, [max]);
  const endpoints = rows.map((row): FailingEndpoint => {
    const { url, failures, failingSince, lastOutcome, lastStatus } = row;
    return { ...keyOf(row), url, failures, failingSince, lastOutcome, lastStatus };
  });
  return { endpoints, ofAll: rows[0]?.ofAll ?? 0 };
}

/** Ends deliveries whose time is over, those of disabled endpoints too (WEB-11). @returns how many */
export async function expireDeliveries(
  database: Queryable,
  olderThanMs: number,
  max = 1000,
): Promise<number> {
  return (await database.query(expire, [olderThanMs, max])).length;
}
