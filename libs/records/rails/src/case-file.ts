import { type Queryable } from '#infra/postgres';
import { isUnposted } from './unposted-reports.js';

/** A status query about a stream. */
export interface MadeRailQuery {
  readonly attempt: number;
  readonly attemptedAt: Date;
  /** A short code; `asking` while the query is under way. */
  readonly outcome: string;
}

/** The questions about a payout so far, as one row. */
export interface MadePayoutQueries {
  readonly asked: number;
  readonly askedAt: Date | null;
  /** The time of the next question. */
  readonly dueAt: Date;
  /** The newest answer; null if there is none yet. */
  readonly answer: string | null;
}

/** A callback of a stream that was not applied at once, without its contents. */
export interface InboxRow {
  readonly id: string;
  readonly stream: string;
  readonly sourceAddress: string;
  /** True if it came from the rail's own addresses. */
  readonly trusted: boolean;
  readonly receivedAt: Date;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly appliedAt: Date | null;
  readonly outcome: string | null;
  /** True if it reports a payment that nothing in the service accounts for (PAY-62, C2B-7). */
  readonly told: boolean;
  readonly toldReceipt: string | null;
  readonly toldMinor: bigint | null;
  readonly toldPaidAt: Date | null;
}

/** The place where the rail's own bytes are stored, without the bytes. */
export interface RetainedMessage {
  readonly id: string;
  readonly receivedAt: Date;
}

/** The records about one stream, for a person who looks into it; oldest first. */
export interface CaseFile {
  readonly queries: readonly MadeRailQuery[];
  readonly inbox: readonly InboxRow[];
  readonly messages: readonly RetainedMessage[];
}

/** The number of callbacks that wait in the inbox, and the age of the oldest. */
export interface WaitingInbox {
  readonly entries: number;
  readonly oldestSeconds: number;
}

/** More than any collection has, unless it is under attack. A person reads no further. */
const max = 200;

const queries = `
  select attempt, attempted_at as "attemptedAt", outcome
    from records.rail_query_attempts where stream = $1 order by attempt limit ${max}`;
const inboxColumns = `
  id, stream, source_address as "sourceAddress", trusted, received_at as "receivedAt", attempts,
  next_attempt_at as "nextAttemptAt", applied_at as "appliedAt", outcome, told,
  told_receipt as "toldReceipt", told_minor as "toldMinor", told_paid_at as "toldPaidAt"`;
const inbox = `
  select ${inboxColumns} from records.callback_inbox
    where stream = $1 order by received_at, id limit ${max}`;
const payoutQueries = `
  select asked, asked_at as "askedAt", due_at as "dueAt", answer
    from records.payout_queries where stream = $1`;
// rail_messages contains the messages of earlier releases.
const messages = `
  select id, received_at as "receivedAt" from (
      select id, received_at from records.rail_messages where stream = $1
      union all
      select id, received_at from records.sealed_messages
        where stream = $1 and kind not in ('request', 'request_item')) as said
    order by received_at, id limit ${max}`;
// Selects the rail's own reports of money, which no flood of other senders may hide, then the newest rows, since people
// have already seen the others. Shows the newest last.
const leftForReview = `
  select * from (
    select ${inboxColumns} from records.callback_inbox report
      where outcome like 'left_for_review%' and (not told or ${isUnposted('report')})
        and ($2::text[] is null or exists (select from unnest($2) prefix where starts_with(stream, prefix)))
      order by (told and trusted) desc, received_at desc, id desc limit $1) newest
  order by "receivedAt", id`;
const unpostedReports = `
  select ${inboxColumns} from records.callback_inbox report
    where trusted = $2 and ${isUnposted('report')}
    order by received_at desc, id desc limit $1`;
const waiting = `
  select count(*)::integer as entries,
      coalesce(extract(epoch from records.now_() - min(received_at)), 0)::float8 as oldest_seconds
    from (
      select received_at from records.callback_inbox where applied_at is null
        order by next_attempt_at limit 10000
    ) waiting`;

/** The records about one stream. @throws DependencyUnavailable, like all of these functions */
export async function findCaseFile(database: Queryable, stream: string): Promise<CaseFile> {
  return {
    queries: await database.query<MadeRailQuery>(queries, [stream]),
    inbox: await database.query<InboxRow>(inbox, [stream]),
    messages: await database.query<RetainedMessage>(messages, [stream]),
  };
}

/** Undefined if the rail was not asked about the payout yet, or is no longer asked. */
export async function findPayoutQueries(
  database: Queryable,
  stream: string,
): Promise<MadePayoutQueries | undefined> {
  const [row] = await database.query<MadePayoutQueries>(payoutQueries, [stream]);
  return row;
}

/**
 * Callbacks that the inbox leaves to people, in order of arrival: unposted reports, and callbacks that settled nothing
 * for too long. Beyond the limit the rail's own unposted reports stay, then the newest rows.
 * @param streamPrefixes only those of streams with these prefixes; if absent, all
 */
export function listCallbacksLeft(
  database: Queryable,
  limit: number,
  streamPrefixes?: readonly string[],
): Promise<readonly InboxRow[]> {
  return database.query<InboxRow>(leftForReview, [limit, streamPrefixes ?? null]);
}

/**
 * Those of them that are unposted reports, newest first.
 * @param options `fromRail`: true for those that the rail itself sent, false for those of other senders
 */
export function listUnpostedReports(
  database: Queryable,
  { fromRail, limit }: { readonly fromRail: boolean; readonly limit: number },
): Promise<readonly InboxRow[]> {
  return database.query<InboxRow>(unpostedReports, [limit, fromRail]);
}

export async function waitingInboxEntries(database: Queryable): Promise<WaitingInbox> {
  const [row] = await database.query<{ entries: number; oldest_seconds: number }>(waiting);
  return { entries: row?.entries ?? 0, oldestSeconds: row?.oldest_seconds ?? 0 };
}
