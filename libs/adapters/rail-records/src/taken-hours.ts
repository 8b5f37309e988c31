import { type TimeRange, type PaymentListRail, TakenHours } from '#edges/rails';
import { type Queryable } from '#infra/postgres';

/** The rail is asked when this much time has passed since the last question, and since its end. */
const hourMinutes = 60;
/** Callbacks and status queries settle most pushes within this time, so the list need not. */
const settleMinutes = 15;
/** The rail may list a payment some minutes after it took it. */
const overlapMinutes = 10;
const leaseMinutes = 5;

// The first question is about the time from now on: the daily questions know the time before.
const begin = `
  insert into records.taken_hours (channel, mode, asked_until, next_attempt_at)
  values ($1, $2, records.now_(), records.now_())
  on conflict do nothing`;

const lease = `
  update records.taken_hours set next_attempt_at = records.now_() + $4 * interval '1 minute'
  where channel = $1 and mode = $2 and next_attempt_at <= records.now_()
    and asked_until <= records.now_() - ($5::float8 + $6::float8) * interval '1 minute'
  returning (extract(epoch from greatest(
      asked_until - $7 * interval '1 minute',
      records.now_() - $3 * interval '1 millisecond' + $6 * interval '1 minute')) * 1000)::float8 as "fromMs",
    (extract(epoch from records.now_() - $6 * interval '1 minute') * 1000)::float8 as "untilMs"`;

// A worker whose lease ended while the rail answered must not move the time back.
const advance = `
  update records.taken_hours set next_attempt_at = records.now_() + $4 * interval '1 minute',
    asked_until = greatest(asked_until, to_timestamp($3::float8 / 1000))
  where channel = $1 and mode = $2`;

export class RecordedTakenHours extends TakenHours {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async due({
    channel,
    mode,
    lookBackMs,
  }: PaymentListRail): Promise<TimeRange | undefined> {
    await this.database.query(begin, [channel, mode]);
    const [hour] = await this.database.query<TimeRange>(lease, [
      ...[channel, mode, lookBackMs, leaseMinutes, hourMinutes, settleMinutes, overlapMinutes],
    ]);
    return hour;
  }

  override async asked(
    { channel, mode }: Parameters<TakenHours['asked']>[0],
    { untilMs }: Parameters<TakenHours['asked']>[1],
  ): Promise<void> {
    await this.database.query(advance, [channel, mode, untilMs, hourMinutes]);
  }
}
