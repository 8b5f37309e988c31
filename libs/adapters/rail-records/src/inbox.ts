import { type Mode } from '#domain/kernel';
import { type DueInboxEntry, Inbox, type InboxEntry, type ToldPayment } from '#edges/rails';
import { type Database, MicroBatcher } from '#infra/postgres';
import { isKnownReceipt, modeOfReport } from '#records/rails';

interface InboxRow {
  id: string;
  channel: string;
  stream: string;
  purpose: string | null;
  key_id: string;
  ciphertext: Buffer;
  source_address: string;
  trusted: boolean;
  received_at: Date;
  age_ms: number;
  attempts: number;
}

const insert = {
  name: 'inbox-insert',
  text: `
    insert into records.callback_inbox (id, channel, stream, key_id, ciphertext, source_address, trusted,
      purpose)
    select * from unnest(
      $1::uuid[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::boolean[],
      $8::text[])
    on conflict (id) do nothing`,
};
// The lease is the time of the next attempt: if a worker dies, its rows are due again at that time. The due rows are
// selected once, in their own query: inside a join, Postgres might select them again for each row and lock too many.
const leaseOf = (condition: string): string => `
    with due as materialized (
      select id from records.callback_inbox
        where applied_at is null and next_attempt_at <= records.now_() ${condition}
        order by next_attempt_at, id
        limit $2
        for update skip locked)
    update records.callback_inbox as entry
      set attempts = attempts + 1, next_attempt_at = records.now_() + $1 * interval '1 millisecond'
      from due where entry.id = due.id
    returning entry.id, channel, stream, purpose, key_id, ciphertext, source_address, trusted, received_at, attempts,
      greatest(0, extract(epoch from records.now_() - received_at) * 1000)::float8 as age_ms`;
const leaseOfAll = { name: 'inbox-lease-of-all', text: leaseOf('') };
/** The stream's name contains the mode, and an index covers it. */
const lease = {
  name: 'inbox-lease',
  text: leaseOf(`and split_part(split_part(stream, ':', 1), '-', 2) = $3`),
};
const applied = `
  update records.callback_inbox set applied_at = records.now_(), outcome = $2,
      told = $6, told_receipt = $3, told_minor = $4, told_paid_at = $5
    where id = $1 and applied_at is null`;
const reschedule = `
  update records.callback_inbox
    set next_attempt_at = records.now_() + $2 * interval '1 millisecond', outcome = $3
    where id = $1 and applied_at is null`;
const giveBack = `
  update records.callback_inbox
    set next_attempt_at = received_at, attempts = greatest(0, attempts - 1), outcome = $2
    where id = $1 and applied_at is null`;
const kept = `
  select count(*)::integer as entries
    from (select from records.callback_inbox where stream = $1 limit $2) kept`;
// Each branch reads one of the partial indexes, so applied entries cost nothing. The ledger is asked about receipts
// only if the limit is reached, once for each name: anyone can cause this statement.
const openBeside = `
  with open as materialized (
    select stream, bool_or(waits) as waits, max(told_receipt) as receipt
      from (
        select stream, true as waits, told_receipt from records.callback_inbox where applied_at is null
        union all
        select stream, told_receipt is null, told_receipt from records.callback_inbox
          where outcome like 'left_for_review%') entries
      where starts_with(stream, $1) and stream <> $2
      group by stream)
  select count(*)::integer as entries from open
    where waits or (select count(*) from open) < $3
      or not ${isKnownReceipt(modeOfReport('open'), 'open.receipt')}`;

/** The inbox as rows; one statement inserts entries that arrive together. */
export class RecordedInbox extends Inbox {
  private readonly batcher;

  constructor(private readonly database: Database) {
    super();
    this.batcher = new MicroBatcher({
      flush: (entries: readonly InboxEntry[]) => this.insert(entries),
    });
  }

  override async add(entry: InboxEntry): Promise<void> {
    await this.batcher.add(entry);
  }

  override async keptOf(stream: string, max: number): Promise<number> {
    const rows = await this.database.query<{ entries: number }>(kept, [stream, max]);
    return rows[0]?.entries ?? 0;
  }

  override async openBeside(prefix: string, stream: string, max: number): Promise<number> {
    const values = [prefix, stream, max];
    const rows = await this.database.query<{ entries: number }>(openBeside, values);
    return rows[0]?.entries ?? 0;
  }

  override async leaseDue(options: {
    readonly leaseMs: number;
    readonly max: number;
    readonly mode?: Mode | undefined;
  }): Promise<readonly DueInboxEntry[]> {
    const { leaseMs, max, mode } = options;
    const rows = await (mode === undefined
      ? this.database.query<InboxRow>(leaseOfAll, [leaseMs, max])
      : this.database.query<InboxRow>(lease, [leaseMs, max, mode]));
    return rows
      .map((row) => ({
        id: row.id,
        channel: row.channel,
        stream: row.stream,
        ...(row.purpose === null ? {} : { purpose: row.purpose }),
        keyId: row.key_id,
        ciphertext: row.ciphertext,
        sourceAddress: row.source_address,
        trusted: row.trusted,
        receivedAt: row.received_at,
        ageMs: row.age_ms,
        attempts: row.attempts,
      }))
      .sort((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime() || (a.id < b.id ? -1 : 1));
  }

  override async conclude(id: string, outcome: string, told?: ToldPayment): Promise<void> {
    const { receipt = null, amountMinor = null, paidAt = null } = told ?? {};
    await this.database.query(applied, [
      ...[id, outcome, receipt, amountMinor, paidAt],
      told !== undefined,
    ]);
  }

  override async reschedule(entry: {
    readonly id: string;
    readonly delayMs: number;
    readonly outcome: string;
  }): Promise<void> {
    await this.database.query(reschedule, [entry.id, entry.delayMs, entry.outcome]);
  }

  override async giveBack(id: string, outcome: string): Promise<void> {
    await this.database.query(giveBack, [id, outcome]);
  }

  /** An entry whose id exists already changes nothing. */
  private async insert(entries: readonly InboxEntry[]): Promise<readonly undefined[]> {
    await this.database.query(insert, [
      entries.map(({ id }) => id),
      entries.map(({ channel }) => channel),
      entries.map(({ stream }) => stream),
      entries.map(({ keyId }) => keyId),
      entries.map(({ ciphertext }) => ciphertext),
      entries.map(({ sourceAddress }) => sourceAddress),
      entries.map(({ trusted }) => trusted),
      entries.map(({ purpose }) => purpose ?? null),
    ]);
    return entries.map(() => undefined);
  }
}
