import { type RecordedEvent } from '#domain/event-sourcing';
import { type MerchantEvent, merchantIdOf } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';
import { type ItemEvent, type TransactionRow } from '#views/transactions';
import { recordset } from '#views/view-set';
import { type Outcome, outcomeFrom } from './outcomes.js';

/** On which who sends is told that something is owed. */
export const webhooksChannel = 'webhooks';

/** The end of the retries: what is older is owed no more, so that a rebuild of old history sends nothing. */
export const owedForDays = 30;

const endStanding = `
  update webhook_endpoints set to_position = $4
    where merchant_id = $1 and mode = $2 and kind = $3 and to_position is null`;
const insertEndpoint = `
  insert into webhook_endpoints (merchant_id, mode, kind, from_position, url, enabled, standard_headers)
  values ($1, $2, $3, $4, $5, $6, $7)`;

/** Operators act a few times a day, so these events are written one by one. */
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

// A delivery that a set of views has put there already, this one or another, stays what it is.
const insertOwed = `
  owed as (
    insert into records.webhook_deliveries (webhook_id, kind, merchant_id, mode, sequence, type, owed_at)
    select n.id, e.kind, n.merchant_id, n.mode, n.sequence, n.type, n.recorded_at
    from numbered n join webhook_endpoints e using (merchant_id, mode)
    where e.enabled and e.from_position < n.position and (e.to_position is null or n.position < e.to_position)
      and (e.kind = 'v4' or n.type like 'collection.%')
      and n.recorded_at > records.now_() - ${owedForDays} * interval '1 day'
    on conflict do nothing
    returning 1
  )
  select pg_notify('${webhooksChannel}', '') from owed limit 1`;
const insertEvents = `
  with told as (
    select * from json_to_recordset($1) as told (merchant_id text, mode text, id uuid, type text, position bigint,
      recorded_at timestamptz(3), callback_url text, head text, tail text)
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
const tell = { name: 'webhook-events-insert', text: `${insertEvents}, ${insertOwed}` };
/** For a set of views that does not serve: the one that does has told of it, or will. */
const note = { name: 'webhook-events-note', text: `${insertEvents} select` };

/** The outcomes of a batch, noted while its items are folded, then written in one statement. */
export class Outcomes {
  readonly #noted: Outcome[] = [];

  /** @param row the item as of the event */
  readonly note = (event: RecordedEvent<ItemEvent>, row: TransactionRow): void => {
    const outcome = outcomeFrom(event, row);
    if (outcome) this.#noted.push(outcome);
  };

  /** @param tells whether what is owed to endpoints is told from these views */
  async write(transaction: Queryable, tells: boolean): Promise<void> {
    if (this.#noted.length > 0)
      await transaction.query(tells ? tell : note, [recordset(this.#noted)]);
  }
}
