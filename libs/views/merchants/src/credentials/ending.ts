/** A credential with its end, as the views and the records have it. */
interface Ended {
  /** Null or absent if it has no end. */
  readonly expiresAt?: Date | null;
}

/** True from the credential's end on. */
export function hasEnded({ expiresAt }: Ended, nowMs: number): boolean {
  return expiresAt instanceof Date && expiresAt.getTime() <= nowMs;
}

/**
 * A condition in SQL over `checkpoint` and a credential `c`: the views may not have read the event of a change yet. The
 * records contain an operator's change first, and its event follows within seconds: from then on the views have it,
 * unless the merchant's own stream is quarantined. Then they never read the event.
 * @param setAt the time of the change, in SQL; null if there was none
 */
export function viewsMayLack(setAt: string): string {
  return `(${setAt} is not null and (${setAt} > checkpoint.fresh_at - interval '1 minute'
    or checkpoint.quarantined > 0 and exists (
      select from quarantines q where q.merchant_id = c.merchant_id and q.scope = 'merchant')))`;
}

/** Joins the end that an operator set last to a credential `c`, in SQL. */
export const joinedEnds =
  'left join records.credential_ends ends on ends.credential_id = c.credential_id';

/** The end that applies now, in SQL over `checkpoint`, a credential `c` and `joinedEnds`. */
export const endsAt = `case when ${viewsMayLack('ends.set_at')} then ends.expires_at else c.expires_at end`;
