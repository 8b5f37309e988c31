import { type Queryable } from '#infra/postgres';
import { daysBefore } from '#infra/runtime';

/** A rail whose statements an account's days are compared with. */
export interface AccountRail {
  readonly channel: string;
  /** The day on which the account was first enabled for it, YYYY-MM-DD; undefined if it always was. */
  readonly since: string | undefined;
  /** The last day that can have money of it, if the account is no longer enabled for it. */
  readonly until?: string;
}

/** A push may be paid, and a payout settle, for this many days after the rail was switched off. */
const settlesForDays = 3;

// The acts of one merchant about its accounts are few.
const select = {
  name: 'account-rails',
  text: `
  select details::json -> 'channels' as channels, (recorded_at at time zone $3)::date::text as day
  from acts
  where merchant_id = $1 and type = 'AccountChannelsSet' and details::json ->> 'accountNo' = $2
  order by position`,
};

/**
 * Returns the rails that an account uses or once used, in their order, each with the days that can have money of it
 * (AIR-9).
 */
export async function accountRails(
  database: Queryable,
  { merchantId, timezone }: { readonly merchantId: string; readonly timezone: string },
  { accountNo, channels }: { readonly accountNo: string; readonly channels: readonly string[] },
): Promise<readonly AccountRail[]> {
  const settings = await database.query<{
    readonly channels: readonly string[];
    readonly day: string;
  }>(select, [merchantId, accountNo, timezone]);
  const once = settings.flatMap((set) => set.channels);
  return [...new Set([...channels, ...once])].map((channel, index) => {
    const last = settings.findLastIndex((set) => set.channels.includes(channel));
    const off = channels.includes(channel) ? undefined : settings[last + 1]?.day;
    return {
      channel,
      // The first rail is that of every account from its beginning.
      since: index === 0 ? undefined : settings.find((set) => set.channels.includes(channel))?.day,
      ...(off !== undefined && { until: daysBefore(off, -settlesForDays) }),
    };
  });
}
