import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';

/** A callback that could not be applied at once: durable before it is acknowledged. */
export interface InboxEntry {
  readonly id: string;
  /** The stream that its token names. */
  readonly stream: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly sourceAddress: string;
  /** Whether it came from the rail's own addresses. */
  readonly trusted: boolean;
}

export interface DueInboxEntry extends InboxEntry {
  readonly receivedAt: Date;
  /** Tries so far, this one included. */
  readonly attempts: number;
}

interface InboxRow {
  id: string;
  stream: string;
  key_id: string;
  ciphertext: Buffer;
  source_address: string;
  trusted: boolean;
  received_at: Date;
  attempts: number;
}

const insert = {
  name: 'inbox-insert',
  text: `
    insert into records.callback_inbox (id, stream, key_id, ciphertext, source_address, trusted)
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::boolean[])
    on conflict (id) do nothing`,
};
// The lease is the next attempt's time: a worker that dies gives the rows back when it has passed. What is due is
// looked at once, by itself: inside a join it might be looked at again for each row, and lock more than asked for.
const lease = {
  name: 'inbox-lease',
  text: `
    with due as materialized (
      select id from records.callback_inbox
        where applied_at is null and next_attempt_at <= records.now_()
        order by next_attempt_at, id
        limit $2
        for update skip locked)
    update records.callback_inbox as entry
      set attempts = attempts + 1, next_attempt_at = records.now_() + $1 * interval '1 millisecond'
      from due where entry.id = due.id
    returning entry.id, stream, key_id, ciphertext, source_address, trusted, received_at, attempts`,
};
const applied = `
  update records.callback_inbox set applied_at = records.now_(), outcome = $2
    where id = $1 and applied_at is null`;
const reschedule = `
  update records.callback_inbox
    set next_attempt_at = records.now_() + $2 * interval '1 millisecond', outcome = $3
    where id = $1 and applied_at is null`;
const giveBack = `
  update records.callback_inbox
    set next_attempt_at = received_at, attempts = greatest(0, attempts - 1), outcome = $2
    where id = $1 and applied_at is null`;
const waiting = `
  select count(*)::integer as entries,
      coalesce(extract(epoch from records.now_() - min(received_at)), 0)::float8 as oldest_seconds
    from (
      select received_at from records.callback_inbox where applied_at is null
        order by next_attempt_at limit 10000
    ) waiting`;
/** Inserts callbacks in micro-batches; resolves when the row is durable. */
export class CallbackInbox {
  readonly #batcher: MicroBatcher<InboxEntry, undefined>;

  constructor(readonly database: Database) {
    this.#batcher = new MicroBatcher({
      flush: async (entries) => {
        await insertInboxEntries(database, entries);
        return entries.map(() => undefined);
      },
    });
  }

  /** @throws DependencyUnavailable: the rail must then not be told that we have it */
  async add(entry: InboxEntry): Promise<void> {
    await this.#batcher.add(entry);
  }
}

/** An entry whose id is there already changes nothing. */
export async function insertInboxEntries(
  database: Queryable,
  entries: readonly InboxEntry[],
): Promise<void> {
  await database.query(insert, [
    entries.map(({ id }) => id),
    entries.map(({ stream }) => stream),
    entries.map(({ keyId }) => keyId),
    entries.map(({ ciphertext }) => ciphertext),
    entries.map(({ sourceAddress }) => sourceAddress),
    entries.map(({ trusted }) => trusted),
  ]);
}

/**
 * Entries that are due, oldest due first, none of which another worker gets before `leaseMs` has passed.
 * Whoever takes one ends it by `markInboxApplied`, `rescheduleInboxEntry` or `giveBackInboxEntry`.
 */
export async function leaseDueInboxEntries(
  database: Queryable,
  options: { readonly leaseMs: number; readonly max: number },
): Promise<DueInboxEntry[]> {
  const rows = await database.query<InboxRow>(lease, [options.leaseMs, options.max]);
  return rows
    .map((row) => ({
      id: row.id,
      stream: row.stream,
      keyId: row.key_id,
      ciphertext: row.ciphertext,
      sourceAddress: row.source_address,
      trusted: row.trusted,
      receivedAt: row.received_at,
      attempts: row.attempts,
    }))
    .sort((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime() || (a.id < b.id ? -1 : 1));
}

/** @param outcome one word for whoever looks into the table, such as `posted`, `duplicate`, `declined` */
export async function markInboxApplied(
  database: Queryable,
  id: string,
  outcome: string,
): Promise<void> {
  await database.query(applied, [id, outcome]);
}

/** @param outcome why it could not be applied yet, in a word */
export async function rescheduleInboxEntry(
  database: Queryable,
  entry: { readonly id: string; readonly delayMs: number; readonly outcome: string },
): Promise<void> {
  await database.query(reschedule, [entry.id, entry.delayMs, entry.outcome]);
}

/** As if it had not been tried: it is due at once, in the place that its age gives it. */
export async function giveBackInboxEntry(
  database: Queryable,
  id: string,
  outcome: string,
): Promise<void> {
  await database.query(giveBack, [id, outcome]);
}

/** How much waits, for metrics. */
export async function waitingInboxEntries(
  database: Queryable,
): Promise<{ readonly entries: number; readonly oldestSeconds: number }> {
  const [row] = await database.query<{ entries: number; oldest_seconds: number }>(waiting);
  return { entries: row?.entries ?? 0, oldestSeconds: row?.oldest_seconds ?? 0 };
}
