import { type CommandMetadata } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { type MerchantMode, type WebhookKind } from '#domain/merchants';
import { type Database, type Queryable } from '#infra/postgres';
import { callbackHostOf, type WebhookEvent, webhooksChannel } from '#views/webhook-outbox';
import { endpointKey, isAboutUrl, turns } from './delivery-rows.js';

/** A webhook that is or was owed to an endpoint. */
export interface Delivery extends MerchantMode {
  readonly webhookId: string;
  readonly kind: WebhookKind;
  readonly sequence: bigint;
  readonly type: string;
  readonly owedAt: Date;
  readonly attempts: number;
  /** Null if the delivery is over. */
  readonly nextAttemptAt: Date | null;
  readonly outcome: 'delivered' | 'expired' | null;
  readonly endedAt: Date | null;
  /** The outcome of the newest attempt; null if there was none. */
  readonly lastOutcome: string | null;
  readonly lastStatus: number | null;
}

/** One request to an endpoint. */
export interface DeliveryAttempt {
  readonly kind: WebhookKind;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null if no answer came. */
  readonly status: number | null;
  readonly outcome: string;
}

/** The health of an endpoint. */
export interface EndpointHealth extends MerchantMode {
  readonly kind: WebhookKind;
  /** Failures in a row. */
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly lastSuccessAt: Date | null;
}

export interface DeliveriesWanted extends MerchantMode {
  readonly kind?: WebhookKind;
  readonly type?: string;
  /** Matches only deliveries of events before this one. */
  readonly before?: bigint;
  /** Matches only deliveries that were attempted and not delivered. */
  readonly failing: boolean;
  readonly limit: number;
}

const delivery = `
  d.webhook_id as "webhookId", d.merchant_id as "merchantId", d.mode, d.kind, d.sequence, d.type,
  d.owed_at as "owedAt", d.attempts, d.next_attempt_at as "nextAttemptAt", d.outcome, d.ended_at as "endedAt",
  a.outcome as "lastOutcome", a.status as "lastStatus"
  from records.webhook_deliveries d left join lateral (
    select outcome, status from records.webhook_attempts
    where webhook_id = d.webhook_id and kind = d.kind order by attempt desc limit 1
  ) a on true`;

/** Failed deliveries of a merchant's events of some time. */
export interface FailedWanted extends MerchantMode {
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
}

const failing = `d.attempts > 0 and d.outcome is distinct from 'delivered'`;

// A delivery that is due now, or in flight, is sent without that.
const failedBetween = `
  d.merchant_id = $1 and d.mode = $2 and d.owed_at >= $3 and d.owed_at < $4
    and ${failing}
    and (d.next_attempt_at is null or d.next_attempt_at > records.now_() + interval '1 minute')`;

/** Lists the deliveries that were attempted and not delivered, the oldest first. */
export function listFailedDeliveries(
  database: Queryable,
  { merchantId, mode, since, until }: FailedWanted,
  limit: number,
): Promise<readonly Delivery[]> {
  return database.query<Delivery>(
    `select ${delivery} where ${failedBetween} order by d.owed_at, d.sequence limit $5`,
    [merchantId, mode, since, until, limit],
  );
}

/** Counts the same deliveries, up to a bound. */
export async function countFailedDeliveries(
  database: Queryable,
  { merchantId, mode, since, until }: FailedWanted,
  max: number,
): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::integer as count from (
       select from records.webhook_deliveries d where ${failedBetween} limit $5) as failed`,
    [merchantId, mode, since, until, max],
  );
  return row?.count ?? 0;
}

/** Counts a merchant's deliveries of any time that were attempted and not delivered, up to a bound. */
export async function countFailingDeliveries(
  database: Queryable,
  { merchantId, mode }: MerchantMode,
  max: number,
): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::integer as count from (
       select from records.webhook_deliveries d
       where d.merchant_id = $1 and d.mode = $2 and ${failing} limit $3) as failed`,
    [merchantId, mode, max],
  );
  return row?.count ?? 0;
}

/** More than any item has. A person reads no further. */
const maxOwed = 200;

/** A webhook that was owed for an event. */
export interface OwedDelivery {
  readonly eventId: string;
  readonly kind: string;
  readonly type: string;
  readonly owedAt: Date;
  readonly attempts: number;
  /** Null while the delivery is not over. */
  readonly outcome: string | null;
  readonly endedAt: Date | null;
  /** Null if the delivery is over. */
  readonly nextAttemptAt: Date | null;
}

/** Deliveries of one merchant, or of all merchants. */
type AnyDeliveriesWanted = Omit<DeliveriesWanted, keyof MerchantMode> & Partial<MerchantMode>;

/**
 * Lists deliveries, the newest first. Only the given filters become conditions, so that an index finds a merchant's own
 * deliveries. This and each function below throws DependencyUnavailable.
 */
export function listWebhookDeliveries(
  database: Queryable,
  { merchantId, mode, kind, type, before, failing: onlyFailing, limit }: AnyDeliveriesWanted,
): Promise<Delivery[]> {
  const values: unknown[] = [limit];
  const equal = Object.entries({ merchant_id: merchantId, mode, kind, type }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`d.${name} = $${values.push(value)}`]),
  );
  const conditions = [
    ...equal,
    ...(before === undefined ? [] : [`d.sequence < $${values.push(before)}`]),
    ...(onlyFailing ? [failing] : []),
  ];
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  return database.query<Delivery>(
    `select ${delivery} ${where} order by d.owed_at desc, d.sequence desc limit $1`,
    values,
  );
}

/**
 * Reads the deliveries of one event of any merchant, and each attempt: the caller checks whose it is. Both are empty if no
 * endpoint existed then, or if the event is too old.
 */
export async function readWebhookDeliveries(
  database: Queryable,
  webhookId: string,
): Promise<{
  readonly deliveries: readonly Delivery[];
  readonly attempts: readonly DeliveryAttempt[];
}> {
  const deliveries = await database.query<Delivery>(
    `select ${delivery} where d.webhook_id = $1 order by d.kind desc`,
    [webhookId],
  );
  const attempts = await database.query<DeliveryAttempt>(
    `select kind, attempt, started_at as "startedAt", duration_ms as "durationMs", status, outcome
     from records.webhook_attempts where webhook_id = $1 order by kind desc, attempt`,
    [webhookId],
  );
  return { deliveries, attempts };
}

/** Lists a merchant's deliveries of some events in one mode, by their sequence. */
export async function listWebhookDeliveriesOf(
  database: Queryable,
  { merchantId, mode }: MerchantMode,
  webhookIds: readonly string[],
): Promise<readonly Delivery[]> {
  const found = await database.query<Delivery>(
    `select ${delivery} where d.webhook_id = any ($1::uuid[]) order by d.sequence, d.kind desc`,
    [webhookIds],
  );
  return found.filter((of) => of.merchantId === merchantId && of.mode === mode);
}

const owedDeliveries = `
  select webhook_id as "eventId", kind, type, owed_at as "owedAt", attempts, outcome, ended_at as "endedAt",
      next_attempt_at as "nextAttemptAt"
    from records.webhook_deliveries where webhook_id = any($1::uuid[]) order by owed_at, sequence limit ${maxOwed}`;

/** The deliveries that were owed to endpoints for these events, oldest first. */
export function listOwedDeliveries(
  database: Queryable,
  eventIds: readonly string[],
): Promise<readonly OwedDelivery[]> {
  return database.query<OwedDelivery>(owedDeliveries, [eventIds]);
}

/** The health of the merchant's endpoints in both modes. */
export function listWebhookHealth(
  database: Queryable,
  merchantId: string,
): Promise<EndpointHealth[]> {
  return database.query<EndpointHealth>(
    `select merchant_id as "merchantId", mode, kind, failures, failing_since as "failingSince",
       last_success_at as "lastSuccessAt"
     from records.webhook_circuits circuit left join webhook_endpoints endpoint using (${endpointKey})
     where merchant_id = $1 and callback_host = '' and endpoint.to_position is null
       and ${isAboutUrl('circuit', 'endpoint.url')}`,
    [merchantId],
  );
}

const findHost = `
  select ${callbackHostOf('event', '$4')} as host from webhook_events event
  where merchant_id = $1 and mode = $2 and sequence = $3`;
const tryNow = `
  update records.webhook_circuits set closed_until = least(closed_until, records.now_())
  where merchant_id = $1 and mode = $2 and kind = $3 and callback_host = $4 and closed_until is not null`;
// The delivery comes before all others of the same target. An attempt in flight does not move it.
const makeDue = `
  insert into records.webhook_deliveries (webhook_id, kind, merchant_id, mode, sequence, type, owed_at, callback_host, turn)
  values ($1, $2, $3, $4, $5, $6, $7, $8, ${turns.asked})
  on conflict (webhook_id, kind) do update set next_attempt_at = records.now_(), outcome = null, ended_at = null,
    callback_host = excluded.callback_host, turn = excluded.turn`;

/** The person who asks for a webhook by hand, and the reason. The portal's form asks for no reason. */
export type WebhookAskedBy = Pick<CommandMetadata, 'actor' | 'reason'>;

/** A webhook that a person asked for by hand (WEB-19): a resent event, or a sample. */
export interface WebhookRequest {
  readonly webhookId: string;
  readonly kind: WebhookKind;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly type: string;
  readonly isSample: boolean;
  /** As events name the actor; if the name was typed, with the user and host. */
  readonly person: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly askedAt: Date;
}

/** The requests for one event, or for one merchant's endpoints, newest first. */
export function listWebhookRequests(
  database: Queryable,
  of: { readonly webhookId: string } | { readonly merchantId: string },
  limit: number,
): Promise<WebhookRequest[]> {
  const [column, value] =
    'webhookId' in of ? ['webhook_id', of.webhookId] : ['merchant_id', of.merchantId];
  return database.query<WebhookRequest>(
    `select webhook_id as "webhookId", kind, merchant_id as "merchantId", mode, type, is_sample as "isSample",
       person, holder, reason, asked_at as "askedAt"
     from records.webhook_requests where ${column} = $1 order by asked_at desc, id desc limit $2`,
    [value, limit],
  );
}

type Requested = Pick<WebhookRequest, 'webhookId' | 'kind' | 'merchantId' | 'mode' | 'type'>;

/** Records who asks for a sample, before it is sent. */
export function noteWebhookSample(
  database: Queryable,
  sample: Requested,
  by: WebhookAskedBy,
): Promise<unknown> {
  return noteRequest(database, { ...sample, isSample: true }, by);
}

function noteRequest(
  database: Queryable,
  { webhookId, kind, merchantId, mode, type, isSample }: Requested & { readonly isSample: boolean },
  { actor, reason }: WebhookAskedBy,
): Promise<unknown> {
  return database.query(
    `insert into records.webhook_requests
       (webhook_id, kind, merchant_id, mode, type, is_sample, person, holder, reason)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[webhookId, kind, merchantId, mode, type, isSample],
      ...[actor.id, actor.holder ?? null, reason ?? null],
    ],
  );
}

/**
 * Makes the event due now, whether or not it was ever owed or delivered, and records who asked for it. If the
 * endpoint's circuit is open, the endpoint is tried.
 */
export async function resendWebhook(
  database: Database,
  event: Omit<WebhookEvent, 'body'>,
  kind: WebhookKind,
  by: WebhookAskedBy,
): Promise<void> {
  const { id, merchantId, mode, sequence, type, recordedAt } = event;
  const requested = { webhookId: id, kind, merchantId, mode, type, isSample: false };
  await database.transaction(async (transaction) => {
    await noteRequest(transaction, requested, by);
    const place = [merchantId, mode, sequence, kind];
    const [{ host } = { host: '' }] = await transaction.query<{ host: string }>(findHost, place);
    // Update the circuit before the delivery, in the same order as the writer of attempts.
    await transaction.query(tryNow, [merchantId, mode, kind, host]);
    const due = [id, kind, merchantId, mode, sequence, type, recordedAt, host];
    await transaction.query(makeDue, due);
    await transaction.query(`select pg_notify('${webhooksChannel}', '')`);
  });
}
