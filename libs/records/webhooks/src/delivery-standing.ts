import { type DeliveryTarget } from './deliveries.js';
import { type Queryable } from '#infra/postgres';
import {
  endpointKey,
  failuresToOpen,
  isAboutUrl,
  isSameTarget,
  targetKeyIn,
  targetOf,
  type TargetRow,
  turns,
  walkTargets,
} from './delivery-rows.js';

/** An endpoint that refuses events and has taken none for this long is listed as failing. */
const refusingHours = 24;

// Only the oldest 10,000 are counted.
const waiting = `
  select count(*)::integer as waiting,
      coalesce(extract(epoch from records.now_() - min(owed_at)), 0)::float8 as "oldestSeconds"
    from (
      select ${endpointKey}, owed_at from records.webhook_deliveries
        where next_attempt_at is not null order by owed_at limit 10000
    ) as waiting
      left join webhook_endpoints endpoint using (${endpointKey})
    where endpoint.to_position is null`;

// The first due delivery of each target's turns is enough: deliveries that wait for a dead target must not hide it.
const overdue = `${walkTargets(`'', '', '', ''`, '10000')}
  select coalesce(extract(epoch from records.now_() - min(line.next_attempt_at)), 0)::float8 as seconds
    from walk
      join webhook_endpoints endpoint using (${endpointKey})
      left join records.webhook_circuits circuit on ${isSameTarget('circuit', 'walk')}
        and ${isAboutUrl('circuit', 'endpoint.url')}
      cross join (values (${turns.asked}), (${turns.first}), (${turns.again})) as lines (turn)
      cross join lateral (
        select next_attempt_at from records.webhook_deliveries d
          where ${isSameTarget('d', 'walk')} and d.turn = lines.turn and d.next_attempt_at <= records.now_()
          order by d.next_attempt_at limit 1) as line
    where endpoint.to_position is null and endpoint.enabled and circuit.closed_until is null`;

// The first delivery in line of each target is enough.
const unattempted = `${walkTargets(`'', '', '', ''`, '10000')}
  select coalesce(extract(epoch from records.now_() - min(line.owed_at)), 0)::float8 as seconds
    from walk
      join webhook_endpoints endpoint using (${endpointKey})
      cross join lateral (
        select owed_at from records.webhook_deliveries d
          where ${isSameTarget('d', 'walk')} and d.turn = ${turns.first} and d.next_attempt_at is not null
          order by d.next_attempt_at limit 1) as line
    where endpoint.to_position is null and endpoint.enabled`;

// A callback host with nothing to deliver is left out.
const failing = `
  select ${targetKeyIn('circuit')}, endpoint.url, circuit.failures,
      coalesce(circuit.failing_since, circuit.refusing_since) as "failingSince",
      circuit.last_outcome as "lastOutcome", circuit.last_status as "lastStatus", count(*) over ()::integer as "ofAll"
    from records.webhook_circuits circuit join webhook_endpoints endpoint using (${endpointKey})
    where endpoint.to_position is null and endpoint.enabled and ${isAboutUrl('circuit', 'endpoint.url')}
      and (circuit.failures >= ${failuresToOpen}
        or circuit.refusing_since < records.now_() - interval '${refusingHours} hours')
      and (circuit.callback_host = '' or exists (
        select 1 from records.webhook_deliveries d where ${isSameTarget('d', 'circuit')} and d.next_attempt_at is not null))
    order by "failingSince" limit $1`;

/** The deliveries that wait. */
export interface WaitingDeliveries {
  /** 10,000 means at least that many. */
  readonly waiting: number;
  readonly oldestSeconds: number;
  /** The time for which a delivery to an endpoint with a closed circuit has been overdue. */
  readonly overdueSeconds: number;
}

/** @throws DependencyUnavailable */
export async function waitingDeliveries(database: Queryable): Promise<WaitingDeliveries> {
  const [counted] = await database.query<Omit<WaitingDeliveries, 'overdueSeconds'>>(waiting);
  const [due] = await database.query<{ seconds: number }>(overdue);
  return { waiting: 0, oldestSeconds: 0, ...counted, overdueSeconds: due?.seconds ?? 0 };
}

/** @returns the age of the delivery that has waited longest for its first attempt, including those of open circuits */
export async function unattemptedSeconds(database: Queryable): Promise<number> {
  const [row] = await database.query<{ seconds: number }>(unattempted);
  return row?.seconds ?? 0;
}

/** An enabled endpoint whose circuit is open, or that has refused events for a day and taken none. */
export interface FailingEndpoint extends DeliveryTarget {
  /** The endpoint's own URL, whichever host fails. */
  readonly url: string;
  readonly failures: number;
  readonly failingSince: Date;
  readonly lastOutcome: string;
  readonly lastStatus: number | null;
}

/** The endpoints that have failed longest. */
export interface FailingEndpoints {
  readonly endpoints: readonly FailingEndpoint[];
  /** The number of all that fail. */
  readonly ofAll: number;
}

/** @param max the most endpoints that are listed @throws DependencyUnavailable */
export async function failingEndpoints(
  database: Queryable,
  max: number,
): Promise<FailingEndpoints> {
  type Row = TargetRow & Omit<FailingEndpoint, keyof DeliveryTarget> & { readonly ofAll: number };
  const rows = await database.query<Row>(failing, [max]);
  const endpoints = rows.map((row): FailingEndpoint => {
    const { url, failures, failingSince, lastOutcome, lastStatus } = row;
    return { ...targetOf(row), url, failures, failingSince, lastOutcome, lastStatus };
  });
  return { endpoints, ofAll: rows[0]?.ofAll ?? 0 };
}

/** The webhooks that are owed. */
export interface DeliveriesStanding extends WaitingDeliveries {
  /** The age of the event that has waited longest for its first attempt, including those of open circuits. */
  readonly unattemptedSeconds: number;
}

/** @throws DependencyUnavailable */
export async function deliveriesStanding(database: Queryable): Promise<DeliveriesStanding> {
  const waiting = await waitingDeliveries(database);
  return { ...waiting, unattemptedSeconds: await unattemptedSeconds(database) };
}
