import { type Queryable } from '#infra/postgres';
import { type AccountOwner, boundsOfDay, findAccountOwner } from '#views/balances';

/** A day of an account on one rail, with its beginning and end. */
export interface AccountDay extends AccountOwner {
  /** The rail whose statement the day is compared with. */
  readonly channel: string;
  /** YYYY-MM-DD in the merchant's zone. */
  readonly date: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * @param date YYYY-MM-DD in the merchant's zone
 * @throws DependencyUnavailable if the views are being built
 */
export async function findAccountDay(
  database: Queryable,
  accountNo: string,
  { date, channel }: Pick<AccountDay, 'date' | 'channel'>,
): Promise<AccountDay | undefined> {
  const owner = await findAccountOwner(database, accountNo);
  if (!owner) return undefined;
  const { begins, ends } = await boundsOfDay(database, date, owner.timezone);
  return { ...owner, channel, date, fromMs: begins.getTime(), untilMs: ends.getTime() };
}
