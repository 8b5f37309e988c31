import { type Queryable } from '#infra/postgres';
import { type AccountOwner, boundsOfDay, findAccountOwner } from '#views/balances';

/** A day of an account, with its beginning and end. */
export interface AccountDay extends AccountOwner {
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
  date: string,
): Promise<AccountDay | undefined> {
  const owner = await findAccountOwner(database, accountNo);
  if (!owner) return undefined;
  const { begins, ends } = await boundsOfDay(database, date, owner.timezone);
  return { ...owner, date, fromMs: begins.getTime(), untilMs: ends.getTime() };
}
