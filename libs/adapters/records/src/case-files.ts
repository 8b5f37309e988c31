import { type Queryable } from '#infra/postgres';

/** A status query that was made about a stream. */
export interface MadeRailQuery {
  readonly attempt: number;
  readonly attemptedAt: Date;
  /** A short code; `asking` while it is under way. */
  readonly outcome: string;
}

/** The questions about a payout so far; a row, not one each. */
export interface MadePayoutQueries {
  readonly asked: number;
  readonly askedAt: Date | null;
  /** Of the next one. */
  readonly dueAt: Date;
  /** What the newest answer was; null while none came. */
  readonly answer: string | null;
}

/** A callback of a stream that was not applied at once; never its contents. */
export interface InboxRow {
  readonly id: string;
  readonly stream: string;
  readonly sourceAddress: string;
  /** Whether it came from the rail's own addresses. */
  readonly trusted: boolean;
  readonly receivedAt: Date;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly appliedAt: Date | null;
  readonly outcome: string | null;
}

/** Where the rail's own bytes lie; never the bytes. */
export interface KeptMessage {
  readonly id: string;
  readonly receivedAt: Date;
}

/** What the records hold about one stream, for a person who looks into it; the oldest first. */
export interface CaseFile {
  readonly queries: readonly MadeRailQuery[];
  readonly inbox: readonly InboxRow[];
  readonly messages: readonly KeptMessage[];
}

/** More than any collection has that is not under attack; a person reads no further. */
const max = 200;

const queries = `
  select attempt, attempted_at as "attemptedAt", outcome
    from records.rail_query_attempts where stream = $1 order by attempt limit ${max}`;
const inboxColumns = `
  id, stream, source_address as "sourceAddress", trusted, received_at as "receivedAt", attempts,
  next_attempt_at as "nextAttemptAt", applied_at as "appliedAt", outcome`;
const inbox = `
  select ${inboxColumns} from records.callback_inbox
    where stream = $1 order by received_at, id limit ${max}`;
const payoutQueries = `
  select asked, asked_at as "askedAt", due_at as "dueAt", answer
    from records.payout_queries where stream = $1`;
// rail_messages holds what releases before have kept.
const messages = `
  select id, received_at as "receivedAt" from (
      select id, received_at from records.rail_messages where stream = $1
      union all
      select id, received_at from records.sealed_messages
        where stream = $1 and kind not in ('request', 'request_item')) as said
    order by received_at, id limit ${max}`;
// The newest, for the others were looked at; shown with the newest last.
const leftForReview = `
  select * from (
    select ${inboxColumns} from records.callback_inbox
      where outcome like 'left_for_review%'
        and ($2::text[] is null or exists (select from unnest($2) prefix where starts_with(stream, prefix)))
      order by received_at desc, id desc limit $1) newest
  order by "receivedAt", id`;

export async function readCaseFile(database: Queryable, stream: string): Promise<CaseFile> {
  return {
    queries: await database.query<MadeRailQuery>(queries, [stream]),
    inbox: await database.query<InboxRow>(inbox, [stream]),
    messages: await database.query<KeptMessage>(messages, [stream]),
  };
}

/** Undefined where the rail was not asked about the payout yet, or is asked no more. */
export async function readPayoutQueries(
  database: Queryable,
  stream: string,
): Promise<MadePayoutQueries | undefined> {
  const [row] = await database.query<MadePayoutQueries>(payoutQueries, [stream]);
  return row;
}

/**
 * Callbacks that settled nothing for so long that the inbox leaves them to people; the newest, in the order in which
 * they came.
 * @param streamPrefixes only those of streams that begin so; all unless given
 */
export function callbacksLeftForReview(
  database: Queryable,
  limit: number,
  streamPrefixes?: readonly string[],
): Promise<InboxRow[]> {
  return database.query<InboxRow>(leftForReview, [limit, streamPrefixes ?? null]);
}
