import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';

/** A credential in use with an end. */
export interface EndingCredential {
  readonly credentialId: string;
  readonly merchantId: string;
  readonly kind: 'v4' | 'v3' | 'checkout';
  /** Null for V3, which serves both modes. */
  readonly mode: Mode | null;
  readonly holder: string;
  readonly expiresAt: Date;
  /** Below 0 if it has ended. */
  readonly secondsLeft: number;
}

const inUse =
  'credentials c join records.credential_ends using (credential_id) where not c.revoked';
const secondsLeft = (end: string) => `extract(epoch from ${end} - records.now_())::float8`;

const ending = {
  name: 'credentials-ending',
  text: `
  select c.credential_id as "credentialId", c.merchant_id as "merchantId", c.kind, c.mode, c.holder,
    expires_at as "expiresAt", ${secondsLeft('expires_at')} as "secondsLeft"
  from ${inUse} and expires_at > records.now_() - $1 * interval '1 day'
    and expires_at <= records.now_() + $2 * interval '1 day'
  order by expires_at, c.credential_id limit $3`,
};
const soonest = {
  name: 'credentials-soonest-ends',
  text: `
  select coalesce(c.mode, 'live') as mode, ${secondsLeft('min(expires_at)')} as "secondsLeft"
  from ${inUse} and expires_at > records.now_() - $1 * interval '1 day'
  group by 1`,
};

/**
 * The credentials in use that end within this many days, the first to end first. For operators, who may read views that
 * are being built.
 * @param endedDays includes those that ended within this many days
 */
export function listEndingCredentials(
  database: Queryable,
  { withinDays, endedDays }: { readonly withinDays: number; readonly endedDays: number },
  limit: number,
): Promise<EndingCredential[]> {
  return database.query<EndingCredential>(ending, [endedDays, withinDays, limit]);
}

/**
 * The seconds until the first credential in use ends, for each mode that has one with an end. V3 counts as live.
 * @param endedDays includes those that ended within this many days; their seconds are below 0
 */
export function soonestCredentialEnds(
  database: Queryable,
  endedDays: number,
): Promise<{ readonly mode: Mode; readonly secondsLeft: number }[]> {
  return database.query<{ readonly mode: Mode; readonly secondsLeft: number }>(soonest, [
    endedDays,
  ]);
}
