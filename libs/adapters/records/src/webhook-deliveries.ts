import { type WebhookEndpointKey, type WebhookKind } from '#domain/merchants';
import { type Mode } from '#domain/kernel';
import {
  DeliveryQueue,
  endpointName,
  type EndpointShare,
  type LeasedDelivery,
  type MadeAttempt,
  type ReadyEndpoint,
  type ReadyEndpoints,
} from '#edges/webhooks';
import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';

/** Failures in a row that open an endpoint's circuit (WEB-13). */
const failuresToOpen = 3;
const minOpenSeconds = 5;
const maxOpenSeconds = 300;

const millisecond = `interval '1 millisecond'`;
const key = 'merchant_id, mode, kind';

// A loose index scan: one look for each endpoint, however many deliveries it has.
const ready = {
  name: 'webhooks-ready',
  text: `
  with recursive walk as (
    (select ${key}, 1 as step from records.webhook_deliveries
      where next_attempt_at is not null and (${key}) > ($1, $2, $3)
      order by ${key} limit 1)
    union all
    select next.*, walk.step + 1
      from walk cross join lateral (
        select d.merchant_id, d.mode, d.kind from records.webhook_deliveries d
          where d.next_attempt_at is not null
            and (d.merchant_id, d.mode, d.kind) > (walk.merchant_id, walk.mode, walk.kind)
          order by d.merchant_id, d.mode, d.kind limit 1) as next
      where walk.step < $4
  )
  select ${key}, coalesce(health.failures, 0) as failures, health.closed_until is not null as is_probe,
      endpoint.enabled is true
        and coalesce(health.closed_until <= records.now_(), true)
        and exists (
          select 1 from records.webhook_deliveries d
            where d.merchant_id = walk.merchant_id and d.mode = walk.mode and d.kind = walk.kind
              and d.next_attempt_at <= records.now_()) as is_ready
    from walk
      left join webhook_endpoints endpoint using (${key})
      left join records.webhook_health health using (${key})
    where endpoint.to_position is null
    order by ${key}`,
};

// The lease is the next attempt's time. Who tries an endpoint moves the time of the next try in the same statement; it
// waits for no row of an endpoint's health, since who writes attempts down holds several of them.
const lease = {
  name: 'webhooks-lease',
  text: `
  with asked as materialized (
    select * from json_to_recordset($1) as asked (merchant_id text, mode text, kind text, max integer, is_probe boolean)
  ),
  tried as (
    update records.webhook_health health set closed_until = records.now_() + $2 * ${millisecond}
      where (health.merchant_id, health.mode, health.kind) in (
        select h.merchant_id, h.mode, h.kind from records.webhook_health h join asked using (${key})
          where asked.is_probe and h.closed_until <= records.now_()
          for update of h skip locked)
      returning health.merchant_id, health.mode, health.kind
  ),
  due as materialized (
    select due.webhook_id, due.kind, endpoint.url, endpoint.standard_headers
      from asked
        join webhook_endpoints endpoint using (${key})
        cross join lateral (
          select webhook_id, kind from records.webhook_deliveries d
            where d.merchant_id = asked.merchant_id and d.mode = asked.mode and d.kind = asked.kind
              and d.next_attempt_at <= records.now_()
            order by d.next_attempt_at limit asked.max
            for update skip locked) as due
      where endpoint.to_position is null and endpoint.enabled
        and (not asked.is_probe
          or exists (select 1 from tried where (tried.merchant_id, tried.mode, tried.kind)
            = (asked.merchant_id, asked.mode, asked.kind)))
  ),
  leased as (
    update records.webhook_deliveries delivery
      set attempts = attempts + 1, next_attempt_at = records.now_() + $2 * ${millisecond}
      from due
      where delivery.webhook_id = due.webhook_id and delivery.kind = due.kind
      returning delivery.*, due.url, due.standard_headers
  )
  select leased.webhook_id, ${key}, leased.attempts, records.now_() as leased_at,
      (extract(epoch from records.now_() - leased.owed_at) * 1000)::float8 as age_ms,
      leased.url, leased.standard_headers, event.body, event.callback_url
    from leased left join webhook_events event using (merchant_id, mode, sequence)`,
};

// A worker whose lease has ended writes its attempt down; what stands of the delivery is the later one's, unless this
// one was taken.
const record = {
  name: 'webhooks-record',
  text: `
  with made as materialized (
    select distinct on (webhook_id, kind) *
      from json_to_recordset($1) as made (webhook_id uuid, kind text, attempt integer, started_at timestamptz(3),
        duration_ms integer, status integer, outcome text, again_in_ms float8)
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
        outcome = case when made.outcome = 'delivered' then 'delivered' when again_in_ms is null then 'expired' end,
        ended_at = case when again_in_ms is null then records.now_() end
      from made
      where delivery.webhook_id = made.webhook_id and delivery.kind = made.kind
        and delivery.next_attempt_at is not null
        and (delivery.attempts = made.attempt or made.outcome = 'delivered')
  ),
  heard as (
    select *, greatest(${minOpenSeconds}, least(${maxOpenSeconds}, extract(epoch from records.now_() - since))) as open_seconds
    from (
      select heard.*,
          heard.failures + case when heard.was_taken then 0 else coalesce(health.failures, 0) end as in_a_row,
          case when heard.was_taken then records.now_() else coalesce(health.failing_since, records.now_()) end as since
        from json_to_recordset($2) as heard (merchant_id text, mode text, kind text, failures integer,
            was_taken boolean, status integer, outcome text)
          left join records.webhook_health health using (${key})
    ) counted
  )
  insert into records.webhook_health as health (${key}, failures, failing_since, last_attempt_at, last_success_at,
    last_status, last_outcome, closed_until)
  select ${key}, in_a_row, case when in_a_row > 0 then since end, records.now_(),
      case when was_taken then records.now_() end, status, outcome,
      case when in_a_row >= ${failuresToOpen} or outcome = 'gone'
        then records.now_() + (0.9 + random() * 0.1) * open_seconds * interval '1 second' end
    from heard order by ${key}
  on conflict (${key}) do update
    set failures = excluded.failures, failing_since = excluded.failing_since,
      last_attempt_at = excluded.last_attempt_at,
      last_success_at = coalesce(excluded.last_success_at, health.last_success_at),
      last_status = excluded.last_status, last_outcome = excluded.last_outcome, closed_until = excluded.closed_until
  returning ${key}, failures`,
};

const putOff = `
  update records.webhook_deliveries
    set attempts = attempts - 1, next_attempt_at = records.now_() + $4 * ${millisecond}
    where webhook_id = $1 and kind = $2 and attempts = $3 and next_attempt_at is not null`;

interface KeyRow {
  readonly merchant_id: string;
  readonly mode: Mode;
  readonly kind: WebhookKind;
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

  override async ready(
    after: WebhookEndpointKey | undefined,
    max: number,
  ): Promise<ReadyEndpoints> {
    const { merchantId = '', mode = '', kind = '' } = after ?? {};
    type Row = KeyRow & { failures: number; is_probe: boolean; is_ready: boolean };
    const rows = await this.database.query<Row>(ready, [merchantId, mode, kind, max]);
    const endpoints = rows
      .filter(({ is_ready: isReady }) => isReady)
      .map((row): ReadyEndpoint => ({
        ...keyOf(row),
        failures: row.failures,
        isProbe: row.is_probe,
      }));
    const last = rows.at(-1);
    return { endpoints, ...(last && rows.length >= max && { next: keyOf(last) }) };
  }

  override async lease(
    shares: readonly EndpointShare[],
    leaseMs: number,
  ): Promise<readonly LeasedDelivery[]> {
    const asked = shares.map(({ merchantId, mode, kind, max, isProbe }) => ({
      ...{ merchant_id: merchantId, mode, kind },
      ...{ max, is_probe: isProbe },
    }));
    const values = [JSON.stringify(asked), leaseMs];
    const rows = await this.database.query<LeasedRow>(lease, values);
    return rows.map((row) => ({
      ...keyOf(row),
      webhookId: row.webhook_id,
      attempt: row.attempts,
      leasedAt: row.leased_at,
      ageMs: row.age_ms,
      url: row.url,
      standardHeaders: row.standard_headers,
      ...(row.body !== null && {
        event: { body: row.body, callbackUrl: row.callback_url ?? undefined },
      }),
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
      ...{ webhook_id: delivery.webhookId, kind: delivery.kind, attempt: delivery.attempt },
      ...{ started_at: delivery.leasedAt, duration_ms: durationMs, status, outcome },
      again_in_ms: againInMs,
    }));
    const heard = heardOf(attempts);
    const values = [JSON.stringify(made), JSON.stringify([...heard.values()])];
    const rows = await this.database.query<KeyRow & { failures: number }>(record, values);
    const opened = new Map(
      rows.map((row) => {
        const name = endpointName(keyOf(row));
        const before = row.failures - (heard.get(name)?.failures ?? 0);
        return [name, row.failures >= failuresToOpen && before < failuresToOpen];
      }),
    );
    // Told once for each endpoint.
    return attempts.map(({ delivery }) => {
      const name = endpointName(delivery);
      const isNowOpen = opened.get(name) ?? false;
      opened.delete(name);
      return { isNowOpen };
    });
  }
}

/** What attempts of the same moment say of each endpoint, by its name. */
function heardOf(attempts: readonly MadeAttempt[]) {
  const heard = new Map<string, { failures: number; was_taken: boolean }>();
  for (const { delivery, outcome, status } of attempts) {
    const { merchantId, mode, kind } = delivery;
    const name = endpointName(delivery);
    const before = heard.get(name) ?? { failures: 0, was_taken: false };
    const isTaken = outcome === 'delivered';
    const now = {
      ...{ merchant_id: merchantId, mode, kind, status, outcome },
      failures: isTaken ? 0 : before.failures + 1,
      was_taken: before.was_taken || isTaken,
    };
    heard.set(name, now);
  }
  return heard;
}

function keyOf({ merchant_id: merchantId, mode, kind }: KeyRow): WebhookEndpointKey {
  return { merchantId, mode, kind };
}

// Of those that wait the oldest, as many as tell enough.
const waiting = `
  select count(*)::integer as waiting,
      coalesce(extract(epoch from records.now_() - min(owed_at)), 0)::float8 as "oldestSeconds",
      coalesce(extract(epoch from records.now_() - min(next_attempt_at) filter (
        where endpoint.enabled and health.closed_until is null
          and next_attempt_at <= records.now_())), 0)::float8 as "overdueSeconds"
    from (
      select ${key}, owed_at, next_attempt_at from records.webhook_deliveries
        where next_attempt_at is not null order by owed_at limit 10000
    ) as waiting
      left join webhook_endpoints endpoint using (${key})
      left join records.webhook_health health using (${key})
    where endpoint.to_position is null`;

const failing = `
  select ${key}, endpoint.url, health.failures, health.failing_since as "failingSince",
      health.last_outcome as "lastOutcome", health.last_status as "lastStatus", count(*) over ()::integer as "ofAll"
    from records.webhook_health health join webhook_endpoints endpoint using (${key})
    where endpoint.to_position is null and endpoint.enabled and health.failures >= ${failuresToOpen}
    order by health.failing_since limit $1`;

// One that is to be sent at this moment, as after an operator's resend, is not taken away from who sends it.
const expire = `
  update records.webhook_deliveries set next_attempt_at = null, outcome = 'expired', ended_at = records.now_()
    where (webhook_id, kind) in (
      select webhook_id, kind from records.webhook_deliveries
        where next_attempt_at < records.now_() - interval '1 hour' and owed_at < records.now_() - $1 * ${millisecond}
        order by owed_at limit $2 for update skip locked)
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

/** An enabled endpoint whose circuit is open. */
export interface FailingEndpoint extends WebhookEndpointKey {
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
  type Row = KeyRow & Omit<FailingEndpoint, keyof WebhookEndpointKey> & { readonly ofAll: number };
  const rows = await database.query<Row>(failing, [max]);
  const endpoints = rows.map(({ merchant_id, mode, kind, ofAll: _ofAll, ...row }) => ({
    ...keyOf({ merchant_id, mode, kind }),
    ...row,
  }));
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
