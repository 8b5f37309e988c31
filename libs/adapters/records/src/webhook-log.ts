import { type Mode } from '#domain/kernel';
import { type WebhookEndpointKey, type WebhookKind } from '#domain/merchants';
import { type Database, type Queryable } from '#infra/postgres';
import { type WebhookEvent, webhooksChannel } from '#views/webhook-outbox';

/** A webhook that is or was owed to an endpoint, as an operator sees it. */
export interface WebhookDelivery extends WebhookEndpointKey {
  readonly webhookId: string;
  readonly sequence: bigint;
  readonly type: string;
  readonly owedAt: Date;
  readonly attempts: number;
  /** Null: it is over. */
  readonly nextAttemptAt: Date | null;
  readonly outcome: 'delivered' | 'expired' | null;
  readonly endedAt: Date | null;
  /** How the newest attempt ended; null where there was none. */
  readonly lastOutcome: string | null;
  readonly lastStatus: number | null;
}

/** One request to the endpoint. */
export interface WebhookAttempt {
  readonly kind: WebhookKind;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null where no answer came. */
  readonly status: number | null;
  readonly outcome: string;
}

/** How an endpoint answers. */
export interface WebhookHealth extends WebhookEndpointKey {
  /** In a row. */
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly lastSuccessAt: Date | null;
}

const delivery = `
  d.webhook_id as "webhookId", d.merchant_id as "merchantId", d.mode, d.kind, d.sequence, d.type,
  d.owed_at as "owedAt", d.attempts, d.next_attempt_at as "nextAttemptAt", d.outcome, d.ended_at as "endedAt",
  a.outcome as "lastOutcome", a.status as "lastStatus"
  from records.webhook_deliveries d left join lateral (
    select outcome, status from records.webhook_attempts
    where webhook_id = d.webhook_id and kind = d.kind order by attempt desc limit 1
  ) a on true`;

export interface WebhookDeliveriesWanted {
  readonly merchantId?: string;
  readonly mode?: Mode;
  readonly kind?: WebhookKind;
  /** Only those that were attempted and not delivered. */
  readonly failing: boolean;
  readonly limit: number;
}

/** The newest first. Conditions are written only for what is asked, so that a merchant's own are found along an index. */
export function listWebhookDeliveries(
  database: Queryable,
  { merchantId, mode, kind, failing, limit }: WebhookDeliveriesWanted,
): Promise<WebhookDelivery[]> {
  const values: unknown[] = [limit];
  const equal = Object.entries({ merchant_id: merchantId, mode, kind }).flatMap(([name, value]) =>
    value === undefined ? [] : [`d.${name} = $${values.push(value)}`],
  );
  const conditions = [
    ...equal,
    ...(failing ? [`d.attempts > 0 and d.outcome is distinct from 'delivered'`] : []),
  ];
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  return database.query<WebhookDelivery>(
    `select ${delivery} ${where} order by d.owed_at desc, d.sequence desc limit $1`,
    values,
  );
}

/** What was owed of one event, and each attempt; none where no endpoint stood then, or it is too long ago. */
export async function readWebhookDeliveries(
  database: Queryable,
  webhookId: string,
): Promise<{
  readonly deliveries: readonly WebhookDelivery[];
  readonly attempts: readonly WebhookAttempt[];
}> {
  const deliveries = await database.query<WebhookDelivery>(
    `select ${delivery} where d.webhook_id = $1 order by d.kind desc`,
    [webhookId],
  );
  const attempts = await database.query<WebhookAttempt>(
    `select kind, attempt, started_at as "startedAt", duration_ms as "durationMs", status, outcome
     from records.webhook_attempts where webhook_id = $1 order by kind desc, attempt`,
    [webhookId],
  );
  return { deliveries, attempts };
}

export function listWebhookHealth(
  database: Queryable,
  merchantId: string,
): Promise<WebhookHealth[]> {
  return database.query<WebhookHealth>(
    `select merchant_id as "merchantId", mode, kind, failures, failing_since as "failingSince",
       last_success_at as "lastSuccessAt"
     from records.webhook_health where merchant_id = $1`,
    [merchantId],
  );
}

const makeDue = `
  insert into records.webhook_deliveries (webhook_id, kind, merchant_id, mode, sequence, type, owed_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (webhook_id, kind) do update set next_attempt_at = records.now_(), outcome = null, ended_at = null`;
const tryNow = `
  update records.webhook_health set closed_until = least(closed_until, records.now_())
  where merchant_id = $1 and mode = $2 and kind = $3 and closed_until is not null`;

/** Has the event sent now, whether or not it was ever owed or delivered; an endpoint that is left alone is tried. */
export async function resendWebhook(
  database: Database,
  event: Omit<WebhookEvent, 'body'>,
  kind: WebhookKind,
): Promise<void> {
  const { id, merchantId, mode, sequence, type, recordedAt } = event;
  await database.transaction(async (transaction) => {
    await transaction.query(makeDue, [id, kind, merchantId, mode, sequence, type, recordedAt]);
    await transaction.query(tryNow, [merchantId, mode, kind]);
    await transaction.query(`select pg_notify('${webhooksChannel}', '')`);
  });
}
