import {
  type DuePayoutQuery,
  type LastPayoutQuestion,
  type PayoutAnswerNote,
  PayoutQueries,
  type RailAccount,
  type RailWorkOptions,
} from '#edges/rails';
import { type Queryable } from '#infra/postgres';
import { payoutsToAskAbout } from '#views/payouts';
import { alternated } from './alternated.js';
import { maxApartMs } from './apart.js';

/** The delay after a question that could not be asked: short, but not zero. */
const againAfterMs = 2_000;
/**
 * Bounds on extra questions. A caller that knows a payout's address cannot make us ask more often, or for longer after
 * a decline.
 */
const extra = { minMs: 5_000, maxMs: 6 * 3_600_000, forMs: 30 * 86_400_000 } as const;

// If two workers read the same number of questions, the second finds another number here.
const lease = `
  insert into records.payout_queries as q (stream, asked, asked_at, due_at)
  values ($1, $2 + 1, records.now_(), records.now_() + $3 * interval '1 millisecond')
  on conflict (stream) do update
    set asked = excluded.asked, asked_at = excluded.asked_at, due_at = excluded.due_at
    where q.asked = $2
  returning 1`;
const leaseExtra = `
  update records.payout_queries set extra_asked = $2 + 1, extra_asked_at = records.now_()
  where stream = $1 and extra_asked = $2 and extra_until > records.now_()
  returning 1`;
const giveBack = `
  update records.payout_queries
    set asked = $2, asked_at = null, due_at = records.now_() + $3 * interval '1 millisecond'
    where stream = $1 and asked = $2 + 1`;
// A late message for a final payout leaves no row; for others, the schedule begins as it would have.
const askExtra = `
  insert into records.payout_queries as q (stream, asked, due_at, extra_until)
  select stream, 0, since + $2 * interval '1 millisecond', records.now_() + $3 * interval '1 millisecond'
    from open_payouts where stream = $1
  on conflict (stream) do update set extra_until = excluded.extra_until`;
const extraAnswered = `
  update records.payout_queries set extra_until = null where stream = $1`;
// Answers that the previous release noted have no time.
const before = `
  select answer from records.payout_queries
  where stream = $1 and answered = $2 - 1
    and coalesce(answered_at, '-infinity') <= records.now_() - $3 * interval '1 millisecond'`;
const lastQuestion = `
  select (extract(epoch from records.now_() - at) * 1000)::float8 as "agoMs", "isAnswered" from (
    select asked_at as at, coalesce(answered >= asked, false) as "isAnswered"
      from records.payout_queries where stream = $1
    union all
    select extra_asked_at, true from records.payout_queries where stream = $1 and extra_until is null
  ) questions where at is not null order by at desc limit 1`;
const note = `
  update records.payout_queries set answered = $2, answer = $3, answered_at = records.now_()
  where stream = $1 and (answered is null or answered < $2)`;
// The row stays: a view that is behind still lists the payout, and without a row its first question would be due at
// once.
const settled = `
  update records.payout_queries
    set due_at = records.now_() + $2 * interval '1 millisecond', extra_until = null
    where stream = $1`;

/** The schedule, from the view of payouts that were sent and from the records of questions. */
export class RecordedPayoutQueries extends PayoutQueries {
  constructor(
    private readonly database: Queryable,
    private readonly options: RailWorkOptions,
  ) {
    super();
  }

  override async due(
    rails: readonly RailAccount[],
    max: number,
  ): Promise<readonly DuePayoutQuery[]> {
    const { queryDelaysMs } = this.options;
    const look = { queryDelaysMs, extra, limit: max };
    const ofRails = await Promise.all(
      rails.map((rail) => payoutsToAskAbout(this.database, rail, look)),
    );
    return alternated(ofRails).slice(0, max);
  }

  override async lease({ stream, asked, isExtra }: DuePayoutQuery): Promise<boolean> {
    const [statement, values] = isExtra
      ? [leaseExtra, [stream, asked]]
      : [lease, [stream, asked, this.gapAfter(asked)]];
    return (await this.database.query(statement, values)).length > 0;
  }

  override async giveBack({ stream, asked, isExtra }: DuePayoutQuery): Promise<void> {
    if (!isExtra) await this.database.query(giveBack, [stream, asked, againAfterMs]);
  }

  override async askExtra(stream: string): Promise<void> {
    const { queryDelaysMs } = this.options;
    const values = [stream, queryDelaysMs[0] ?? 0, queryDelaysMs.at(-1) ?? 0];
    await this.database.query(askExtra, values);
  }

  override async extraAnswered(stream: string): Promise<void> {
    await this.database.query(extraAnswered, [stream]);
  }

  override async answerBefore(stream: string, attempt: number): Promise<string | undefined> {
    const values = [stream, attempt, this.apartMs(attempt)];
    const rows = await this.database.query<{ answer: string }>(before, values);
    return rows[0]?.answer;
  }

  override async lastQuestion(stream: string): Promise<LastPayoutQuestion | undefined> {
    return (await this.database.query<LastPayoutQuestion>(lastQuestion, [stream]))[0];
  }

  override async note(stream: string, { attempt, answer }: PayoutAnswerNote): Promise<void> {
    await this.database.query(note, [stream, attempt, answer]);
  }

  override async settled(stream: string): Promise<void> {
    await this.database.query(settled, [stream, this.gapAfter(this.options.queryDelaysMs.length)]);
  }

  /** The minimum time between two answers: half the time between their questions. */
  private apartMs(attempt: number): number {
    return Math.min(maxApartMs, this.gapAfter(attempt - 2) / 2);
  }

  /** The delay from one question to the next; after the last one, the last gap repeats. */
  private gapAfter(asked: number): number {
    const delays = this.options.queryDelaysMs;
    const next = Math.min(asked + 1, delays.length - 1);
    const gap = (delays[next] ?? 0) - (delays[next - 1] ?? 0);
    return Math.max(gap, extra.minMs);
  }
}
