import { type Queryable } from '#infra/postgres';
import { isUnposted } from '#records/rails';
import { expireReviewProposals } from '#records/reviews';

const dayMs = 86_400_000;

/** Retention of the records; docs/how-to/watch-the-worker.md lists all of them. */
const retentionMs = {
  idempotencyClaims: 30 * dayMs,
  inboxEntries: 90 * dayMs,
  unopenedOfRail: 90 * dayMs,
  /** Longer than any rotation takes, and than a collection waits for its callback. */
  unopenedOfOthers: 3 * dayMs,
  /** A batch finishes within minutes. If a request led to no batch, its row expires by age. */
  payoutBatches: 3 * dayMs,
  webhooks: 90 * dayMs,
  /** The page shows one day. */
  webhookHours: 2 * dayMs,
  notices: 90 * dayMs,
  apiCalls: 7 * dayMs,
  /** Longer than any session lasts: no session that was ended earlier is left, and no earlier proof is fresh. */
  personAccess: 7 * dayMs,
  /** After its last day, an owner still reads how a request ended. */
  accessRequests: 30 * dayMs,
  /** Names of people who did not sign in again; their acts still identify them. */
  personNames: 3 * 365 * dayMs,
} as const;
/** No message is on its way for this long. */
const erasedLatelyMs = 3 * dayMs;
/** A past day limits nothing; until then, a rejection may give an amount back to it. */
const allowanceDays = 35;
/** Longer than any report of V3's use looks back. */
const v3CountDays = 400;

/** The most unposted reports that outlive the inbox's retention. */
const maxKeptReports = 10_000;
/**
 * SQL for rows of the inbox that wait for a decision about money: the rail's own unposted reports, the newest of them
 * (C2B-23). Those of other senders are none, since anyone can send them.
 */
const keptReports = `(
  trusted and ${isUnposted('callback_inbox')} and received_at >= coalesce((
    select last.received_at from records.callback_inbox last
    where last.told and last.trusted and last.outcome like 'left_for_review%'
    order by last.received_at desc offset ${maxKeptReports - 1} limit 1), '-infinity'))`;

/** Retention from the settings. */
export interface Retention {
  /** EVIDENCE_RETENTION. */
  readonly evidenceMs: number;
  /** RAIL_REVIEW_AFTER: until then, and for a day longer, the rail is asked about a collection. */
  readonly reviewAfterMs: number;
}

/** Deletes at most `max` rows older than `age`. @returns how many */
type Deletion = (database: Queryable, age: number, max?: number) => Promise<number>;

/** One statement for each kind of row that is deleted by age. */
export const deleteOld = {
  accessTokens: older({ table: 'access_tokens', key: 'token_hash', at: 'expires_at', max: 5000 }),
  idempotencyClaims: older({
    table: 'idempotency_claims',
    key: 'key_hash',
    at: 'claimed_at',
    max: 5000,
  }),
  /** Entries that wait stay. One that a person dismissed stays for the same time after that. */
  inboxEntries: older({
    table: 'callback_inbox',
    key: 'id',
    at: 'received_at',
    only: `applied_at is not null and not ${keptReports}
      and (coalesce(outcome, '') not like 'dismissed%' or applied_at < records.now_() - $1 * interval '1 millisecond')`,
  }),
  keptReports: older({
    table: 'callback_inbox',
    key: 'id',
    at: 'received_at',
    only: 'applied_at is not null',
  }),
  // Ids begin with the time, so the oldest come first in id order: the statement reads at most $2 rows to see if any is
  // old enough. An index of received_at as small as a BRIN would leave out rows that no vacuum has seen yet.
  railMessages: oldestOf('rail_messages'),
  sealedMessages: deletion(`
    with gone as (${oldestRowsOf('sealed_messages')} returning received_at),
    noted as (
      insert into records.emptied_tables as emptied (table_name, up_to)
        select 'sealed_messages', max(received_at) from gone having count(*) > 0
        on conflict (table_name) do update set up_to = greatest(emptied.up_to, excluded.up_to))
    select 1 from gone`),
  /** There are few: operators rarely erase. */
  erasedStreams: older({ table: 'erased_streams', key: 'stream', at: 'erased_at' }),
  /**
   * Without its claim, a rail reference whose payment was posted on a query's report could confirm another collection,
   * as long as the rail still reports it as paid.
   */
  railReferenceClaims: older({
    table: 'confirmed_checkouts',
    key: 'channel, mode, rail_reference',
    at: 'confirmed_at',
  }),
  /** A collection that may still be asked about must keep all its attempts: their number decides the next delay. */
  railQueryAttempts: older({
    table: 'rail_query_attempts',
    key: 'stream, attempt',
    at: 'attempted_at',
  }),
  /** The callbacks that could trigger more queries are deleted as well. */
  extraRailQueries: older({ table: 'extra_rail_queries', key: 'stream', at: 'asked_at' }),
  /** If a payout is still asked about, its next question is due within a day. */
  payoutQueries: older({ table: 'payout_queries', key: 'stream', at: 'due_at' }),
  payoutBatches: older({ table: 'payout_batches', key: 'id', at: 'kept_at' }),
  /** A rail may report again about an erased stream. The inbox's copy is deleted once the report is applied. */
  inboxOfErased: deletion(`
    delete from records.callback_inbox where id in (
      select entry.id from records.erased_streams join records.callback_inbox entry using (stream)
        where entry.applied_at is not null and $1::float8 >= 0 limit $2)
    returning 1`),
  /** Erases the key of a message that was on its way into the records during an erasure. A later message has no key. */
  keysOfErased: deletion(`
    update records.sealed_messages set own_key = null, erased_at = records.now_() where id in (
      select message.id
        from records.erased_streams
          join records.sealed_messages named using (stream)
          join records.sealed_messages message on message.id = coalesce(named.within, named.id)
        where erased_streams.erased_at > records.now_() - $1 * interval '1 millisecond'
          and message.own_key is not null limit $2)
    returning 1`),
  unopenedOfRail: older({
    table: 'unopened_callbacks',
    key: 'id',
    at: 'received_at',
    only: 'from_rail',
  }),
  unopenedOfOthers: older({
    table: 'unopened_callbacks',
    key: 'id',
    at: 'received_at',
    only: 'not from_rail',
  }),
  /** If a person asked for a delivery again, it stays for the same time after its new end (WEB-16). */
  webhookDeliveries: older({
    table: 'webhook_deliveries',
    key: 'webhook_id, kind',
    at: 'owed_at',
    only: `next_attempt_at is null and ended_at < records.now_() - $1 * interval '1 millisecond'`,
  }),
  webhookAttempts: older({
    table: 'webhook_attempts',
    key: 'webhook_id, kind, attempt',
    at: 'started_at',
  }),
  webhookHours: older({ table: 'webhook_hours', key: 'merchant_id, mode, kind, hour', at: 'hour' }),
  webhookRequests: older({ table: 'webhook_requests', key: 'id', at: 'asked_at' }),
  portalSessions: older({ table: 'portal_sessions', key: 'id_hash', at: 'idle_ends_at' }),
  /** A token goes with its session. A session lasts for half of the retention at most. */
  sessionRenewals: deletion(`
    delete from records.session_renewals where id_hash in (
      select id_hash from records.session_renewals renewal
        where checked_at < records.now_() - $1 * interval '1 millisecond'
          or not exists (
            select 1 from records.portal_sessions session
              where session.id_hash = renewal.id_hash and session.revoked_at is null)
        limit $2)
    returning 1`),
  personAccess: older({ table: 'person_access', key: 'person', at: 'changed_at' }),
  portalHeldForms: older({ table: 'portal_held_forms', key: 'id_hash', at: 'ends_at' }),
  apiCalls: older({ table: 'api_calls', key: 'id', at: 'called_at', max: 5000 }),
  /** Only API processes of an earlier release write these. */
  refusedRequests: older({ table: 'refused_requests', key: 'id', at: 'refused_at', max: 5000 }),
  personNames: older({ table: 'person_names', key: 'person', at: 'told_at' }),
  accessRequests: older({ table: 'access_requests', key: 'id', at: 'ends_at' }),
  notices: older({ table: 'notices', key: 'kind, id, about, channel', at: 'noted_at' }),
  webhookSecrets: older({ table: 'webhook_secrets', key: 'secret_id', at: 'ends_at' }),
} satisfies Readonly<Record<string, Deletion>>;

function oldestOf(table: string): Deletion {
  return deletion(`${oldestRowsOf(table)} returning 1`);
}

function oldestRowsOf(table: string): string {
  return `
    delete from records.${table}
      where id in (select id from records.${table} order by id limit $2)
        and received_at < records.now_() - $1 * interval '1 millisecond'`;
}

/** Deletes by day, since the rows count by day. */
const deleteOldAllowances = ['payout_allowances', 'payout_days'].map(deletionByDay);
const deleteOldV3Counts = ['v3_calls', 'v3_checkout_links', 'v3_phone_references'].map(
  deletionByDay,
);

function deletionByDay(table: string): Deletion {
  return deletion(`
    delete from records.${table} where ctid = any (array(
      select ctid from records.${table}
        where day < (records.now_() at time zone 'UTC')::date - $1::int order by day limit $2))
    returning 1`);
}

/**
 * Deletes a bounded batch of expired rows, and ends proposals that waited too long. Several workers may run it at once.
 * @returns `busy` if there is more
 */
export async function deleteExpired(
  database: Queryable,
  { evidenceMs, reviewAfterMs }: Retention,
): Promise<'idle' | 'busy'> {
  const steps: readonly (readonly [Deletion, number])[] = [
    [deleteOld.accessTokens, 0],
    [deleteOld.idempotencyClaims, retentionMs.idempotencyClaims],
    [deleteOld.inboxEntries, retentionMs.inboxEntries],
    // Their sender's name and number are evidence as well.
    [deleteOld.keptReports, Math.max(evidenceMs, retentionMs.inboxEntries)],
    [deleteOld.inboxOfErased, 0],
    [deleteOld.keysOfErased, erasedLatelyMs],
    [deleteOld.railMessages, evidenceMs],
    [deleteOld.sealedMessages, evidenceMs],
    [deleteOld.erasedStreams, evidenceMs],
    // As long as the messages that they belong to; after that, no rail answers about their ids.
    [deleteOld.railReferenceClaims, evidenceMs],
    [deleteOld.railQueryAttempts, reviewAfterMs + retentionMs.inboxEntries],
    [deleteOld.extraRailQueries, retentionMs.inboxEntries],
    [deleteOld.payoutQueries, reviewAfterMs + retentionMs.inboxEntries],
    ...deleteOldAllowances.map((ofTable) => [ofTable, allowanceDays] as const),
    [deleteOld.payoutBatches, retentionMs.payoutBatches],
    ...deleteOldV3Counts.map((ofTable) => [ofTable, v3CountDays] as const),
    [deleteOld.unopenedOfRail, retentionMs.unopenedOfRail],
    [deleteOld.unopenedOfOthers, retentionMs.unopenedOfOthers],
    [deleteOld.webhookDeliveries, retentionMs.webhooks],
    [deleteOld.webhookAttempts, retentionMs.webhooks],
    [deleteOld.webhookHours, retentionMs.webhookHours],
    [deleteOld.webhookRequests, retentionMs.webhooks],
    [deleteOld.webhookSecrets, 0],
    [deleteOld.portalSessions, 0],
    [deleteOld.sessionRenewals, dayMs],
    [deleteOld.notices, retentionMs.notices],
    [deleteOld.accessRequests, retentionMs.accessRequests],
    [deleteOld.portalHeldForms, 0],
    [deleteOld.personAccess, retentionMs.personAccess],
    [deleteOld.personNames, retentionMs.personNames],
    [deleteOld.apiCalls, retentionMs.apiCalls],
    [deleteOld.refusedRequests, retentionMs.apiCalls],
  ];
  await expireReviewProposals(database);
  let deleted = 0;
  for (const [step, age] of steps) deleted += await step(database, age);
  return deleted > 0 ? 'busy' : 'idle';
}

/** @param rows `at`: the time that the age is compared with; `only`: an additional condition */
function older(rows: {
  readonly table: string;
  readonly key: string;
  readonly at: string;
  readonly only?: string;
  readonly max?: number;
}): Deletion {
  const { table, key, at, only = 'true', max } = rows;
  return deletion(
    `
    delete from records.${table}
      where (${key}) in (
        select ${key} from records.${table}
          where ${only} and ${at} < records.now_() - $1 * interval '1 millisecond'
          order by ${at} limit $2)
    returning 1`,
    max,
  );
}

function deletion(statement: string, defaultMax = 1000): Deletion {
  return async (database, age, max = defaultMax) =>
    (await database.query(statement, [age, max])).length;
}
