import {
  type DuePayoutQuery,
  type PayoutAnswerNote,
  PayoutQueries,
  type RailWorkOptions,
} from '#edges/rails';
import { type Queryable } from '#infra/postgres';
import { payoutsToAskAbout } from '#views/payouts';

/** After a question that could not be put: soon, but not at once. */
const againAfterMs = 2_000;
/** Whoever has a payout's address cannot make us ask more often. */
const leastGapMs = 5_000;

const lease = `
  insert into records.payout_queries as q (stream, asked, asked_at, due_at)
  values ($1, $2 + 1, records.now_(), records.now_() + $3 * interval '1 millisecond')
  on conflict (stream) do update
    set asked = excluded.asked, asked_at = excluded.asked_at, due_at = excluded.due_at
    where q.asked = $2 and q.due_at <= records.now_()
  returning 1`;
const giveBack = `
  update records.payout_queries
    set asked = $2, due_at = records.now_() + $3 * interval '1 millisecond'
    where stream = $1 and asked = $2 + 1`;
// What comes late for a payout that is final leaves no row behind.
const makeDue = `
  insert into records.payout_queries as q (stream, asked, due_at)
  select $1, 0, records.now_() where exists (select 1 from open_payouts where stream = $1)
  on conflict (stream) do update set due_at = least(q.due_at,
    greatest(records.now_(), q.asked_at + $2 * interval '1 millisecond'))`;
const before = `
  select answer from records.payout_queries where stream = $1 and answered < $2`;
const note = `
  update records.payout_queries set answered = $2, answer = $3
  where stream = $1 and (answered is null or answered < $2)`;
const forget = `delete from records.payout_queries where stream = $1`;

/** The schedule as it follows from the view of payouts that were sent and from the records of questions. */
export class RecordedPayoutQueries extends PayoutQueries {
  constructor(
    private readonly database: Queryable,
    private readonly options: RailWorkOptions,
  ) {
    super();
  }

  override due(max: number): Promise<readonly DuePayoutQuery[]> {
    const { queryDelaysMs } = this.options;
    return payoutsToAskAbout(this.database, { queryDelaysMs, limit: max });
  }

  override async lease({ stream, asked }: DuePayoutQuery): Promise<boolean> {
    const values = [stream, asked, this.gapAfter(asked)];
    return (await this.database.query(lease, values)).length > 0;
  }

  override async giveBack({ stream, asked }: DuePayoutQuery): Promise<void> {
    await this.database.query(giveBack, [stream, asked, againAfterMs]);
  }

  override async makeDue(stream: string): Promise<void> {
    await this.database.query(makeDue, [stream, leastGapMs]);
  }

  override async answerBefore(stream: string, attempt: number): Promise<string | undefined> {
    const rows = await this.database.query<{ answer: string }>(before, [stream, attempt]);
    return rows[0]?.answer;
  }

  override async note(stream: string, { attempt, answer }: PayoutAnswerNote): Promise<void> {
    await this.database.query(note, [stream, attempt, answer]);
  }

  override async forget(stream: string): Promise<void> {
    await this.database.query(forget, [stream]);
  }

  /** From one question to the next; after the last delay, the last gap again and again. */
  private gapAfter(asked: number): number {
    const delays = this.options.queryDelaysMs;
    const next = Math.min(asked + 1, delays.length - 1);
    const gap = (delays[next] ?? 0) - (delays[next - 1] ?? 0);
    return Math.max(gap, leastGapMs);
  }
}
