import { extraGapMs, ExtraQueries } from '#edges/rails';
import { type Queryable } from '#infra/postgres';

/** The delay after the last question, by the number of questions so far. */
const gapAfter = (asked: string): string =>
  `least($3::float8, $2::float8 * 2 ^ least(greatest(${asked}, 1) - 1, 30)) * interval '1 millisecond'`;

// Only one of two workers gets the row; the other finds that the question was just asked.
const lease = `
  insert into records.extra_rail_queries as q (stream, asked) values ($1, 1)
  on conflict (stream) do update set asked = q.asked + 1, asked_at = records.now_()
    where q.asked_at + ${gapAfter('q.asked')} <= records.now_()
  returning 1`;
const left = `
  select greatest(1, ceil(extract(epoch from q.asked_at + ${gapAfter('q.asked')} - records.now_()) * 1000))::float8 as ms
    from records.extra_rail_queries q where stream = $1`;
const giveBack = `
  update records.extra_rail_queries set asked = greatest(0, asked - 1) where stream = $1`;

/** The extra questions about collections, as rows. */
export class RecordedExtraQueries extends ExtraQueries {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async lease(stream: string): Promise<number> {
    const values = [stream, extraGapMs.min, extraGapMs.max];
    if ((await this.database.query(lease, values)).length > 0) return 0;
    const [row] = await this.database.query<{ ms: number }>(left, values);
    return row?.ms ?? extraGapMs.min;
  }

  override async giveBack(stream: string): Promise<void> {
    await this.database.query(giveBack, [stream]);
  }
}
