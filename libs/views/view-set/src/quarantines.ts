import { DependencyUnavailable, type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type Partition, type Scope } from './partition.js';
import { recordset } from './recordset.js';

/** A quarantined part of a merchant's views, and the event at which it stopped. */
export interface Quarantine {
  readonly merchantId: string;
  /** A mode, whose reads answer 503; `merchant`: its own stream, which quarantines both modes. */
  readonly scope: Scope;
  /** Position of the event that cannot be applied. */
  readonly position: bigint;
  readonly stream: string;
  readonly type: string;
  readonly eventId: string;
  readonly recordedAt: Instant;
  readonly why: string;
  /** All events of the scope up to here are applied, none after it. */
  readonly appliedTo: bigint;
  /** The number of retries that ended here again. */
  readonly retries: number;
  readonly retryRequestedAt?: Instant;
}

interface Row {
  readonly merchant_id: string;
  readonly scope: Scope;
  readonly position: bigint;
  readonly stream: string;
  readonly type: string;
  readonly event_id: string;
  readonly recorded_at: Date;
  readonly why: string;
  readonly applied_to: bigint;
  readonly retries: number;
  readonly retry_requested_at: Date | null;
}

const selectAll = `select * from quarantines order by merchant_id, position, scope`;
const selectQuarantined = `select merchant_id as "merchantId", scope from quarantines`;

/** The quarantined partitions, for code that only has to skip them. */
export function quarantinedPartitions(transaction: Queryable): Promise<Partition[]> {
  return transaction.query<Partition>(selectQuarantined);
}

const anyQuarantine = `select 1 from quarantines where scope = $1 limit 1`;

/** True if some merchant of the mode is quarantined. */
export async function isAnyQuarantined(database: Queryable, mode: Mode): Promise<boolean> {
  return (await database.query(anyQuarantine, [mode])).length > 0;
}

/**
 * Guards a query about all merchants at once whose answer "none" lets money move: it must wait while some merchants'
 * events are not in the views.
 * @throws DependencyUnavailable
 */
export async function requireNoQuarantine(database: Queryable, mode: Mode): Promise<void> {
  if (await isAnyQuarantined(database, mode))
    throw new DependencyUnavailable(
      'read model',
      'a merchant stands still, whose events may bear it (projection quarantine list)',
    );
}

const selectOf = `select * from quarantines where merchant_id = $1 order by position, scope`;

/** All quarantines, merchant by merchant; empty if there are none. A few rows at most. */
export async function quarantines(database: Queryable): Promise<readonly Quarantine[]> {
  return (await database.query<Row>(selectAll)).map(fromRow);
}

/** The quarantines of one merchant. */
export async function quarantinesOf(
  database: Queryable,
  merchantId: string,
): Promise<readonly Quarantine[]> {
  return (await database.query<Row>(selectOf, [merchantId])).map(fromRow);
}

const upsert = `
  insert into quarantines
    (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
  select merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to
  from json_populate_recordset(null::quarantines, $1)
  on conflict (merchant_id, scope) do update set
    position = excluded.position, stream = excluded.stream, type = excluded.type,
    event_id = excluded.event_id, recorded_at = excluded.recorded_at, why = excluded.why,
    applied_to = greatest(quarantines.applied_to, excluded.applied_to)`;

/** Records the events at which scopes are quarantined from now on; an existing quarantine moves to its new event. */
export async function putQuarantines(
  transaction: Queryable,
  stopped: readonly Omit<Quarantine, 'retries'>[],
): Promise<void> {
  const rows = stopped.map((of) => ({
    merchant_id: of.merchantId,
    scope: of.scope,
    position: of.position,
    stream: of.stream,
    type: of.type,
    event_id: of.eventId,
    recorded_at: of.recordedAt,
    why: of.why,
    applied_to: of.appliedTo,
  }));
  await transaction.query(upsert, [recordset(rows)]);
  await recount(transaction);
}

const remove = `delete from quarantines where merchant_id = $1 and scope = any($2)`;
const moveOn = `
  update quarantines set applied_to = greatest(applied_to, $3) where merchant_id = $1 and scope = any($2)`;
const count = `update checkpoint set quarantined = (select count(*) from quarantines)`;

/** Ends quarantines whose scopes contain the whole log again. */
export async function endQuarantines(
  transaction: Queryable,
  merchantId: string,
  scopes: readonly Scope[],
): Promise<void> {
  await transaction.query(remove, [merchantId, scopes]);
  await recount(transaction);
}

/** Records how far the scopes have come on their way back. */
export async function moveQuarantines(
  transaction: Queryable,
  merchantId: string,
  scopes: readonly Scope[],
  appliedTo: bigint,
): Promise<void> {
  await transaction.query(moveOn, [merchantId, scopes, appliedTo]);
}

async function recount(transaction: Queryable): Promise<void> {
  await transaction.query(count);
}

const request = `
  update quarantines set retry_requested_at = records.now_()
  where $1::text is null or merchant_id = $1
  returning merchant_id`;

/**
 * Asks the leading projector to resume; it checks every second.
 * @param merchantId if absent, all merchants
 * @returns the merchants that will be tried
 */
export async function requestRetry(
  database: Queryable,
  merchantId?: string,
): Promise<readonly string[]> {
  const rows = await database.query<{ merchant_id: string }>(request, [merchantId ?? null]);
  return [...new Set(rows.map((row) => row.merchant_id))];
}

const summary = `
  select count(*)::integer as standing,
    coalesce(array_agg(distinct merchant_id) filter (where retry_requested_at is not null), '{}') as requested,
    (select unlinked from checkpoint) as unlinked
  from quarantines`;

/** The projector's tasks about quarantines. */
export interface QuarantineSummary {
  /** The number of quarantined scopes. */
  readonly standing: number;
  /** The merchants for which somebody asked to resume. */
  readonly requested: readonly string[];
  /** True if ledger entries wait for their links. */
  readonly unlinked: boolean;
}

export async function summaryOf(database: Queryable): Promise<QuarantineSummary> {
  const [row] = await database.query<QuarantineSummary>(summary);
  return row ?? { standing: 0, requested: [], unlinked: false };
}

const answered = `
  update quarantines set retry_requested_at = null, retries = retries + 1 where merchant_id = $1`;

/** Records that a retry has ended, on the scopes that are still quarantined. */
export async function noteRetried(database: Queryable, merchantId: string): Promise<void> {
  await database.query(answered, [merchantId]);
}

function fromRow(row: Row): Quarantine {
  return {
    merchantId: row.merchant_id,
    scope: row.scope,
    position: row.position,
    stream: row.stream,
    type: row.type,
    eventId: row.event_id,
    recordedAt: instantFromMs(row.recorded_at.getTime()),
    why: row.why,
    appliedTo: row.applied_to,
    retries: row.retries,
    ...(row.retry_requested_at && {
      retryRequestedAt: instantFromMs(row.retry_requested_at.getTime()),
    }),
  };
}
