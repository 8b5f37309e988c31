import { type RecordedEvent } from '#domain/event-sourcing';
import { type MerchantEvent, merchantIdOf } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';
import { type ItemEvent, type TransactionRow } from '#views/transactions';
import { recordset, type Remembered } from '#views/view-set';
import { numbered, type Outcome, outcomeFrom } from './outcomes.js';

/** The channel that notifies the sender of new owed webhooks. */
export const webhooksChannel = 'webhooks';

/** The end of the retries: older webhooks are not owed any more, so that a rebuild of old history sends nothing. */
export const owedForDays = 30;

const endStanding = `
  update webhook_endpoints set to_position = $4
    where merchant_id = $1 and mode = $2 and kind = $3 and to_position is null`;
const insertEndpoint = `
  insert into webhook_endpoints (merchant_id, mode, kind, from_position, url, enabled, standard_headers)
  values ($1, $2, $3, $4, $5, $6, $7)`;

/** Writes these events one by one: operators act only a few times a day. */
export async function projectWebhookEndpoints(
  transaction: Queryable,
  events: readonly RecordedEvent<MerchantEvent>[],
): Promise<void> {
  for (const event of events) {
    if (event.type !== 'WebhookEndpointSet') continue;
    const merchantId = merchantIdOf(event.stream);
    const { mode, kind, url, enabled, standardHeaders } = event.data;
    const key = [merchantId, mode, kind, event.position];
    await transaction.query(endStanding, key);
    await transaction.query(insertEndpoint, [...key, url, enabled, standardHeaders === true]);
  }
}

/**
 * SQL of the host of a collection's own URL; empty if the kind of endpoint has none, or if there is none.
 * @param event a row that has `callback_url`
 * @param kind SQL of the endpoint's kind
 */
export const callbackHostOf = (event: string, kind: string): string => `
  case when ${kind} = 'v3'
    then coalesce(substring(${event}.callback_url from '^https?://(\\[[^]]+\\]|[^/:?#[]+)'), '') else '' end`;

/**
 * Adds deliveries of the numbered events to the records. If this or another set of views has added one already, it
 * stays unchanged.
 * @param endpoints the set's table of endpoints
 * @param traceparent SQL of the event's trace; views have none
 */
export const owedFrom = (
  numbered: string,
  endpoints = 'webhook_endpoints',
  traceparent = 'null',
): string => `
  owed as (
    insert into records.webhook_deliveries (webhook_id, kind, merchant_id, mode, sequence, type, owed_at, callback_host,
      traceparent)
    select n.id, e.kind, n.merchant_id, n.mode, n.sequence, n.type, n.recorded_at, ${callbackHostOf('n', 'e.kind')},
      ${traceparent}
    from ${numbered} n join ${endpoints} e using (merchant_id, mode)
    where e.enabled and e.from_position < n.position and (e.to_position is null or n.position < e.to_position)
      and (e.kind = 'v4' or n.type like 'collection.%')
      and n.recorded_at > records.now_() - ${owedForDays} * interval '1 day'
    on conflict do nothing
    returning 1
  )`;
/** Wakes the senders for the deliveries that `owedFrom` has added. */
export const notifySenders = `select pg_notify('${webhooksChannel}', '') from owed limit 1`;
const insertEvents = `
  with told as (
    select * from json_to_recordset($1) as told (merchant_id text, mode text, id uuid, type text, position bigint,
      recorded_at timestamptz(3), callback_url text, traceparent text, head text, tail text)
  ),
  counted as (
    insert into webhook_sequences as kept (merchant_id, mode, last_sequence)
    select merchant_id, mode, count(*) from told group by merchant_id, mode order by merchant_id, mode
    on conflict (merchant_id, mode) do update set last_sequence = kept.last_sequence + excluded.last_sequence
    returning merchant_id, mode, last_sequence
  ),
  numbered as (
    select told.*, counted.last_sequence + 1
      - row_number() over (partition by merchant_id, mode order by position desc) as sequence
    from told join counted using (merchant_id, mode)
  ),
  written as (
    insert into webhook_events (merchant_id, mode, sequence, id, type, position, recorded_at, callback_url, body)
    select merchant_id, mode, sequence, id, type, position, recorded_at, callback_url, head || sequence || tail
    from numbered
  )`;
const insertAndOwe = {
  name: 'webhook-events-insert',
  text: `${insertEvents}, ${owedFrom('numbered', 'webhook_endpoints', 'n.traceparent')} ${notifySenders}`,
};
/** For a set of views that does not serve: the serving one owes these webhooks. */
const insertOnly = { name: 'webhook-events-note', text: `${insertEvents} select` };

const append = {
  name: 'webhook-events-append',
  text: `insert into webhook_events select * from json_populate_recordset(null::webhook_events, $1)`,
};
const setSequences = {
  name: 'webhook-sequences-set',
  text: `
  insert into webhook_sequences select * from json_populate_recordset(null::webhook_sequences, $1)
  on conflict (merchant_id, mode) do update set last_sequence = excluded.last_sequence`,
};
const oweInserted = {
  name: 'webhook-events-owed',
  text: `
  with told as (
    select * from json_to_recordset($1) as told (merchant_id text, mode text, sequence bigint, id uuid, type text,
      position bigint, recorded_at timestamptz(3), callback_url text)
  ), ${owedFrom('told')} ${notifySenders}`,
};
const selectSequences = {
  name: 'webhook-sequences-of',
  text: `
  select kept.merchant_id, kept.mode, kept.last_sequence
  from unnest($1::text[], $2::text[]) as asked (merchant_id, mode)
  join webhook_sequences kept using (merchant_id, mode)`,
};

/** The filling process's knowledge of the set's webhooks, besides its own writes. */
export interface FilledWebhooks {
  /** Reads the set's committed rows. */
  readonly reads: Queryable;
  /** Last numbers, by `webhookKey`. */
  readonly sequences: Remembered<bigint>;
  /** The `webhookKey` of everyone who ever had an endpoint; undefined if this set owes no webhooks. */
  readonly endpoints?: Set<string>;
}

/** The key of a merchant and mode. */
export function webhookKey(merchantId: string, mode: string): string {
  return `${mode}:${merchantId}`;
}

const selectEndpoints = `select distinct merchant_id, mode from webhook_endpoints`;

/** @returns the `webhookKey` of everyone who ever had an endpoint */
export async function webhookEndpointKeys(reads: Queryable): Promise<Set<string>> {
  const rows = await reads.query<{ merchant_id: string; mode: string }>(selectEndpoints);
  return new Set(rows.map(({ merchant_id, mode }) => webhookKey(merchant_id, mode)));
}

const owedColumns = [
  ...(['merchant_id', 'mode', 'sequence', 'id'] as const),
  ...(['type', 'position', 'recorded_at', 'callback_url'] as const),
] as const;

/** The outcomes of a batch, collected while its items are folded, then written in one statement. */
export class Outcomes {
  readonly #noted: Outcome[] = [];

  /** @param row the item after the event */
  readonly note = (event: RecordedEvent<ItemEvent>, row: TransactionRow): void => {
    const outcome = outcomeFrom(event, row);
    if (outcome) this.#noted.push(outcome);
  };

  /** @param tells true if these views owe webhooks to endpoints */
  async write(transaction: Queryable, tells: boolean): Promise<void> {
    if (this.#noted.length > 0)
      await transaction.query(tells ? insertAndOwe : insertOnly, [recordset(this.#noted)]);
  }

  /**
   * Does the same as `write` for a set that is being filled: numbers are assigned here, and rows go straight into their
   * table.
   */
  async fill(writes: Queryable, { reads, sequences, endpoints }: FilledWebhooks): Promise<void> {
    if (this.#noted.length === 0) return;
    const last = await this.#lastSequences(reads, sequences);
    const rows = this.#noted.map((outcome) => {
      const { merchant_id, mode, id, type, position, recorded_at, callback_url } = outcome;
      const counted = last.get(webhookKey(merchant_id, mode)) ?? {
        merchant_id,
        mode,
        last_sequence: 0n,
      };
      const sequence = (counted.last_sequence += 1n);
      const body = numbered(outcome, sequence);
      return { merchant_id, mode, sequence, id, type, position, recorded_at, callback_url, body };
    });
    for (const [key, { last_sequence }] of last) sequences.set(key, last_sequence);
    await writes.query(append, [recordset(rows)]);
    await writes.query(setSequences, [recordset([...last.values()])]);
    const owed = rows.filter((row) => endpoints?.has(webhookKey(row.merchant_id, row.mode)));
    if (owed.length > 0) await writes.query(oweInserted, [recordset(owed, owedColumns)]);
  }

  /** The last numbers of all merchants and modes in the outcomes. */
  async #lastSequences(
    reads: Queryable,
    sequences: Remembered<bigint>,
  ): Promise<Map<string, { merchant_id: string; mode: string; last_sequence: bigint }>> {
    const last = new Map<string, { merchant_id: string; mode: string; last_sequence: bigint }>();
    const unknown: { merchant_id: string; mode: string }[] = [];
    for (const { merchant_id, mode } of this.#noted) {
      const key = webhookKey(merchant_id, mode);
      if (last.has(key)) continue;
      const known = sequences.get(key);
      if (known === undefined) unknown.push({ merchant_id, mode });
      last.set(key, { merchant_id, mode, last_sequence: known ?? 0n });
    }
    if (unknown.length === 0) return last;
    const rows = await reads.query<{ merchant_id: string; mode: string; last_sequence: bigint }>(
      selectSequences,
      [unknown.map(({ merchant_id }) => merchant_id), unknown.map(({ mode }) => mode)],
    );
    for (const row of rows) last.set(webhookKey(row.merchant_id, row.mode), row);
    return last;
  }
}
