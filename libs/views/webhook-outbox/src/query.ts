import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type WebhookEndpointKey } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';
import {
  ownServability,
  type OwnServability,
  type ReadBound,
  requireOwnServable,
} from '#views/view-set';

/** A page of the feed: the events after a number, oldest first. */
export interface FeedPage {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly after: bigint;
  readonly limit: number;
}

export interface WebhookFeed {
  /** The exact bytes that an endpoint gets, as text. */
  readonly bodies: readonly string[];
  /** The number of the last of them; if there is none, the requested number. */
  readonly last: bigint;
  /** The position of the log that the answer reflects, and the time at which it was the log's end. */
  readonly position: bigint;
  readonly asOf: Instant;
}

const feed = {
  name: 'webhook-feed',
  text: `
  select c.position as ledger_position, ${ownServability({ merchant: '$1', mode: '$2' })}, e.sequence, e.body
  from checkpoint c
  left join lateral (
    select sequence, body from webhook_events
    where merchant_id = $1 and mode = $2 and sequence > $3
    order by sequence limit $4
  ) e on true
  order by e.sequence`,
};

type Row = OwnServability & {
  readonly ledger_position: bigint;
  readonly fresh_at: Date;
  readonly sequence: bigint | null;
  readonly body: string | null;
};

/** @throws DependencyUnavailable if the views are being built or too old */
export async function listWebhookEvents(
  database: Queryable,
  { merchantId, mode, after, limit }: FeedPage,
  bound: ReadBound,
): Promise<WebhookFeed> {
  const rows = await database.query<Row>(feed, [merchantId, mode, after, limit]);
  const { ledger_position: position, fresh_at } = requireOwnServable(rows[0], bound);
  return {
    bodies: rows.flatMap(({ body }) => body ?? []),
    last: rows.at(-1)?.sequence ?? after,
    position,
    asOf: instantFromMs(fresh_at.getTime()),
  };
}

/** The destination of webhooks of a merchant, mode and kind. */
export interface WebhookEndpoint extends WebhookEndpointKey {
  readonly url: string;
  readonly enabled: boolean;
  readonly standardHeaders: boolean;
}

const standing = `
  select merchant_id as "merchantId", mode, kind, url, enabled, standard_headers as "standardHeaders"
  from webhook_endpoints
  where to_position is null and merchant_id = $1
  order by mode, kind`;

/** A merchant's endpoints, for operators, who may read views that are being built. */
export function listWebhookEndpoints(
  database: Queryable,
  merchantId: string,
): Promise<WebhookEndpoint[]> {
  return database.query<WebhookEndpoint>(standing, [merchantId]);
}

/** The same as `listWebhookEndpoints` for one: a merchant has four at most. */
export async function findWebhookEndpoint(
  database: Queryable,
  { merchantId, mode, kind }: WebhookEndpointKey,
): Promise<WebhookEndpoint | undefined> {
  const endpoints = await listWebhookEndpoints(database, merchantId);
  return endpoints.find((of) => of.mode === mode && of.kind === kind);
}

/** The collection or payout of an event. */
export interface EventItem {
  readonly type: 'collection' | 'payout';
  readonly reference: string;
}

const eventItems = `
  select sequence, split_part(type, '.', 1) as type, body::json #>> '{data,reference}' as reference
  from webhook_events where merchant_id = $1 and mode = $2 and sequence = any($3::bigint[])`;

/** Finds the items of a place's events by their numbers. An event that the views do not have yet is left out. */
export async function listWebhookItems(
  database: Queryable,
  { merchantId, mode }: Pick<WebhookEvent, 'merchantId' | 'mode'>,
  sequences: readonly bigint[],
): Promise<ReadonlyMap<bigint, EventItem>> {
  const rows = await database.query<{
    readonly sequence: bigint;
    readonly type: EventItem['type'];
    readonly reference: string | null;
  }>(eventItems, [merchantId, mode, sequences]);
  return new Map(
    rows.flatMap(({ sequence, type, reference }) =>
      reference === null ? [] : [[sequence, { type, reference }] as const],
    ),
  );
}

/** An event that was sent, or would have been. */
export interface WebhookEvent {
  readonly id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly sequence: bigint;
  readonly type: string;
  readonly recordedAt: Date;
  /** The exact bytes that an endpoint gets, as text. */
  readonly body: string;
}

const event = `
  select id, merchant_id as "merchantId", mode, sequence, type, recorded_at as "recordedAt", body from webhook_events`;

/**
 * For operators, who may read views that are being built.
 * @param place the event's place, if it is known; otherwise all events are searched, which is rare
 */
export async function findWebhookEvent(
  database: Queryable,
  id: string,
  place?: Pick<WebhookEvent, 'merchantId' | 'mode' | 'sequence'>,
): Promise<WebhookEvent | undefined> {
  const found = place
    ? await database.query<WebhookEvent>(
        `${event} where merchant_id = $2 and mode = $3 and sequence = $4 and id = $1`,
        [id, place.merchantId, place.mode, place.sequence],
      )
    : await database.query<WebhookEvent>(`${event} where id = $1`, [id]);
  return found[0];
}
