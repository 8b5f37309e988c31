import { type ChannelName, type NewNotice, NoticeBook, type Notice } from '#edges/notices';
import { type Queryable } from '#infra/postgres';

const noteAsked = `
  insert into records.notices (kind, id, about, channel, name, mode)
  select w.kind, w.id, 'asked', c.channel, w.name, w.mode
  from json_to_recordset($1) as w (kind text, id text, name text, mode text)
  cross join unnest($2::text[]) as c (channel)
  on conflict do nothing`;

// Uses the channel that sent the first notice, and only if that notice reached people.
const noteOver = `
  insert into records.notices (kind, id, about, channel, name, mode)
  select n.kind, n.id, 'over', n.channel, n.name, n.mode
  from records.notices n
  where n.about = 'asked' and n.outcome = 'told' and n.channel = any($2)
    and n.noted_at > records.now_() - interval '30 days'
    and not exists (
      select 1 from json_to_recordset($1) as w (kind text, id text) where w.kind = n.kind and w.id = n.id)
  on conflict do nothing`;

// Retries after half a minute, then doubles the delay each time: the delay after the eighth attempt is an hour.
const take = `
  update records.notices n
    set attempts = attempts + 1, next_attempt_at = records.now_() + interval '30 s' * power(2, attempts)
  from (
    select kind, id, about, channel from records.notices
    where outcome is null and next_attempt_at <= records.now_()
    order by next_attempt_at limit $1 for update skip locked
  ) due
  where (n.kind, n.id, n.about, n.channel) = (due.kind, due.id, due.about, due.channel)
  returning n.kind, n.id, n.about, n.channel, n.name, n.mode, n.attempts`;

const end = `
  update records.notices set outcome = $5
    where kind = $1 and id = $2 and about = $3 and channel = $4 and outcome is null`;

/** Notices as rows; only one of several workers takes each. */
export class RecordedNotices extends NoticeBook {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async note(
    waiting: readonly NewNotice[],
    channels: readonly ChannelName[],
    isWhole: boolean,
  ): Promise<void> {
    const values = [JSON.stringify(waiting), channels];
    if (waiting.length > 0) await this.database.query(noteAsked, values);
    if (isWhole) await this.database.query(noteOver, values);
  }

  override async take(max: number): Promise<readonly Notice[]> {
    const rows = await this.database.query<Notice & { readonly mode: Notice['mode'] | null }>(
      take,
      [max],
    );
    return rows.map(({ mode, ...row }) => ({ ...row, mode: mode ?? undefined }));
  }

  override async end(
    { kind, id, about, channel }: Notice,
    outcome: 'told' | 'failed',
  ): Promise<void> {
    await this.database.query(end, [kind, id, about, channel, outcome]);
  }
}
