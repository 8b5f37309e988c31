import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';

/** A day of an account, and when it begins and ends. */
export interface AccountDay {
  readonly merchantId: string;
  readonly merchantName: string;
  readonly mode: Mode;
  readonly accountNo: string;
  readonly currency: string;
  readonly timezone: string;
  /** YYYY-MM-DD of that zone. */
  readonly date: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

const select = `
  select m.merchant_id as "merchantId", m.name as "merchantName", a.mode, a.account_no as "accountNo", a.currency,
    m.timezone,
    (extract(epoch from ($2::date)::timestamp at time zone m.timezone) * 1000)::float8 as "fromMs",
    (extract(epoch from ($2::date + 1)::timestamp at time zone m.timezone) * 1000)::float8 as "untilMs"
  from accounts a join merchants m using (merchant_id)
  where a.account_no = $1`;

/** @param date YYYY-MM-DD of the merchant's zone */
export async function findAccountDay(
  database: Queryable,
  accountNo: string,
  date: string,
): Promise<AccountDay | undefined> {
  const [row] = await database.query<Omit<AccountDay, 'date'>>(select, [accountNo, date]);
  return row && { ...row, date };
}
