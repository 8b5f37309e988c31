import { type Queryable } from '#infra/postgres';

/** The channel on which is said that V3's notice or end has reached the views. */
export const v3RetirementChannel = 'v3_retirement';

/** Tells all replicas to look again, when the caller's transaction commits. */
export async function announceV3Retirement(transaction: Queryable): Promise<void> {
  await transaction.query(`select pg_notify($1, '')`, [v3RetirementChannel]);
}
