import {
  type DeliveryTarget,
  type LeasedDelivery,
  type MadeAttempt,
  type ReadyTarget,
  type ReadyTargets,
  type TargetShare,
} from './deliveries.js';
import { type Database, MicroBatcher } from '#infra/postgres';
import { recordAttempts } from './delivery-attempts.js';
import {
  endpointKey,
  isAboutUrl,
  isEventOf,
  isSameTarget,
  targetKey,
  targetKeyIn,
  targetOf,
  type TargetRow,
  millisecond,
  targetRowOf,
  turns,
  walkTargets,
} from './delivery-rows.js';

// Deliveries to a host that is no longer on the merchant's list go to the endpoint's URL, so the host's circuit does not
// delay them. The first row that is due is a lateral query with a limit: for "exists" Postgres may hash all that are due.
const ready = {
  name: 'webhooks-ready',
  text: `${walkTargets('$1, $2, $3, $4', '$5')}
  select ${targetKeyIn('walk')}, coalesce(circuit.failures, 0) as failures, circuit.closed_until is not null as is_probe,
      endpoint.enabled is true
        and coalesce(circuit.closed_until <= records.now_(), true)
        and due.turn is not null as is_ready
    from walk
      left join lateral (
        select d.turn from records.webhook_deliveries d
          where ${isSameTarget('d', 'walk')} and d.turn in (${turns.asked}, ${turns.first}, ${turns.again})
            and d.next_attempt_at <= records.now_()
          limit 1) as due on true
      left join webhook_endpoints endpoint using (${endpointKey})
      left join merchants merchant using (merchant_id)
      left join records.webhook_circuits circuit on ${isSameTarget('circuit', 'walk')}
        and (walk.callback_host = '' or walk.callback_host = any (merchant.hosts))
        and ${isAboutUrl('circuit', 'endpoint.url')}
    where endpoint.to_position is null
    order by ${targetKeyIn('walk')}`,
};

// The lease is the time of the next attempt. A probe moves the time of the next probe in the same statement. It skips
// locked rows of circuits, since a worker that writes attempts locks several. The statement reads as many rows of each
// turn as it may take: first those that a person asked for, then the shares of first attempts and of retries, then the
// rest.
const lease = {
  name: 'webhooks-lease',
  text: `
  with asked as materialized (
    select * from json_to_recordset($1) as asked (merchant_id text, mode text, kind text, callback_host text,
      max integer, retries integer, is_probe boolean)
  ),
  tried as (
    update records.webhook_circuits circuit set closed_until = records.now_() + $2 * ${millisecond}
      where (${targetKeyIn('circuit')}) in (
        select ${targetKeyIn('c')} from records.webhook_circuits c join asked using (${targetKey})
          where asked.is_probe and c.closed_until <= records.now_()
          for update of c skip locked)
      returning ${targetKeyIn('circuit')}
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
                  where ${isSameTarget('d', 'asked')} and d.turn = lines.line and d.next_attempt_at <= records.now_()
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
          or exists (select 1 from tried where ${isSameTarget('tried', 'asked')}))
  ),
  leased as (
    update records.webhook_deliveries delivery
      set attempts = attempts + 1, turn = ${turns.again}, next_attempt_at = records.now_() + $2 * ${millisecond}
      from due
      where delivery.webhook_id = due.webhook_id and delivery.kind = due.kind
      returning delivery.*, due.url, due.standard_headers
  )
  select leased.webhook_id, ${targetKeyIn('leased')}, leased.attempts, records.now_() as leased_at,
      (extract(epoch from records.now_() - leased.owed_at) * 1000)::float8 as age_ms,
      leased.url, leased.standard_headers, leased.traceparent, event.body, event.callback_url, merchant.hosts
    from leased
      left join merchants merchant using (merchant_id)
      left join webhook_events event on ${isEventOf('leased')}`,
};

const putOff = `
  update records.webhook_deliveries
    set attempts = attempts - 1, next_attempt_at = records.now_() + $4 * ${millisecond},
      turn = case when attempts = 1 then ${turns.first} else ${turns.again} end
    where webhook_id = $1 and kind = $2 and attempts = $3 and next_attempt_at is not null and turn <> ${turns.asked}`;

interface LeasedRow extends TargetRow {
  readonly webhook_id: string;
  readonly attempts: number;
  readonly leased_at: Date;
  readonly age_ms: number;
  readonly url: string;
  readonly standard_headers: boolean;
  readonly traceparent: string | null;
  readonly body: string | null;
  readonly callback_url: string | null;
  readonly hosts: readonly string[] | null;
}

/**
 * The queue of deliveries: rows, joined with the views that contain endpoints and bodies. Several workers share it,
 * and the database's clock decides what is due.
 */
export class DeliveryQueue {
  private readonly attempts;

  constructor(private readonly database: Database) {
    this.attempts = new MicroBatcher({
      flush: (made: readonly MadeAttempt[]) => recordAttempts(database, made),
    });
  }

  /**
   * Returns the targets that may be sent to, among the first `max` after `after` that have waiting deliveries. A target
   * has its place however many deliveries wait for the others.
   * @throws DependencyUnavailable
   */
  async ready(after: DeliveryTarget | undefined, max: number): Promise<ReadyTargets> {
    const { merchantId = '', mode = '', kind = '', callbackHost = '' } = after ?? {};
    type Row = TargetRow & { failures: number; is_probe: boolean; is_ready: boolean };
    const rows = await this.database.query<Row>(ready, [merchantId, mode, kind, callbackHost, max]);
    const targets = rows
      .filter(({ is_ready: isReady }) => isReady)
      .map((row): ReadyTarget => ({
        ...targetOf(row),
        failures: row.failures,
        isProbe: row.is_probe,
      }));
    const last = rows.at(-1);
    return { targets, ...(last && rows.length >= max && { next: targetOf(last) }) };
  }

  /**
   * Leases due deliveries of each target; no other worker gets them before the lease has ended. Deliveries that a
   * person asked for come first, then the oldest first attempts and the oldest retries by their shares. If a target is
   * only probed, only one of several workers gets its one delivery.
   * @throws DependencyUnavailable
   */
  async lease(shares: readonly TargetShare[], leaseMs: number): Promise<readonly LeasedDelivery[]> {
    const rowsOfShares = shares.map(({ max, retries, isProbe, ...target }) => ({
      ...targetRowOf(target),
      max,
      retries,
      is_probe: isProbe,
    }));
    const values = [JSON.stringify(rowsOfShares), leaseMs];
    const rows = await this.database.query<LeasedRow>(lease, values);
    return rows.map((row) => ({
      ...targetOf(row),
      webhookId: row.webhook_id,
      attempt: row.attempts,
      leasedAt: row.leased_at,
      ageMs: row.age_ms,
      ...goingTo(row),
      standardHeaders: row.standard_headers,
      ...(row.traceparent !== null && { traceparent: row.traceparent }),
      ...(row.body !== null && { event: { body: row.body } }),
    }));
  }

  /**
   * Records an attempt, the time of the next one, and the target's state. Attempts of the same moment are written
   * together.
   * @returns `isNowOpen`: true if this opened the target's circuit
   * @throws DependencyUnavailable: the lease then ends, and the attempt is made again
   */
  record(attempt: MadeAttempt): Promise<{ isNowOpen: boolean }> {
    return this.attempts.add(attempt);
  }

  /** Puts the delivery off because nothing was sent. The attempt does not count. @throws DependencyUnavailable */
  async putOff(delivery: LeasedDelivery, delayMs: number): Promise<void> {
    const { webhookId, kind, attempt } = delivery;
    await this.database.query(putOff, [webhookId, kind, attempt, delayMs]);
  }
}

/** Returns the current destination: the collection's own URL only while the merchant's list contains its host (WEB-8). */
function goingTo(row: LeasedRow): Pick<LeasedDelivery, 'url' | 'goesTo'> {
  const { callback_url: own, hosts, url } = row;
  const host = row.kind === 'v3' && own !== null && URL.canParse(own) ? new URL(own).hostname : '';
  const isOwn = host !== '' && own !== null && (hosts ?? []).includes(host);
  return {
    url: isOwn ? own : url,
    goesTo: { ...targetOf(row), callbackHost: isOwn ? host : '' },
  };
}
