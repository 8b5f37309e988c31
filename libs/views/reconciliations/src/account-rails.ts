import { type Queryable } from '#infra/postgres';

/** A rail whose statements an account's days are compared with. */
export interface AccountRail {
  readonly channel: string;
  /** The day on which the account was first enabled for it, YYYY-MM-DD; undefined if it always was. */
  readonly since: string | undefined;
}

// The acts of one merchant about its accounts are few.
const select = {
  name: 'account-rails',
  text: `
  select channel, (min(recorded_at) at time zone $3)::date::text as since
  from acts cross join lateral json_array_elements_text(details::json -> 'channels') as channel
  where merchant_id = $1 and type = 'AccountChannelsSet' and details::json ->> 'accountNo' = $2
  group by channel`,
};

/** Returns the rails of an account, in their order, each with the first day that can have money of it (AIR-9). */
export async function accountRails(
  database: Queryable,
  { merchantId, timezone }: { readonly merchantId: string; readonly timezone: string },
  { accountNo, channels }: { readonly accountNo: string; readonly channels: readonly string[] },
): Promise<readonly AccountRail[]> {
  const [first, ...others] = channels;
  if (others.length === 0) return channels.map((channel) => ({ channel, since: undefined }));
  const rows = await database.query<{ readonly channel: string; readonly since: string }>(select, [
    ...[merchantId, accountNo, timezone],
  ]);
  const sinceOf = new Map(rows.map(({ channel, since }) => [channel, since]));
  return channels.map((channel) => ({
    channel,
    since: channel === first ? undefined : sinceOf.get(channel),
  }));
}
