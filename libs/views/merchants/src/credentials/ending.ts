import { type Instant } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';

/** A credential with its end. */
interface Ended {
  /** Null or absent if it has no end. */
  readonly expiresAt?: Date | null;
}

/** True from the credential's end on. */
export function hasEnded({ expiresAt }: Ended, nowMs: number): boolean {
  return expiresAt instanceof Date && expiresAt.getTime() <= nowMs;
}

const setEnd = `
  insert into records.credential_ends as known (credential_id, expires_at, revision) values ($1, $2, $3)
  on conflict (credential_id) do update
    set (expires_at, revision, set_at) = (excluded.expires_at, excluded.revision, records.now_())
    where known.revision <= excluded.revision`;

/**
 * Stores the end of a credential in the records, unless one with a later event is there. The command that
 * appends the event does so at once. The projector does so again, for a command that was interrupted and for records
 * that were restored.
 * @param end without `expiresAt` if the credential has no end any more
 */
export async function setCredentialEnd(
  database: Queryable,
  end: {
    readonly credentialId: string;
    readonly expiresAt?: Instant | undefined;
    /** The revision of its event in the merchant's stream. */
    readonly revision: bigint;
  },
): Promise<void> {
  const { credentialId, expiresAt, revision } = end;
  await database.query(setEnd, [credentialId, expiresAt ?? null, revision]);
}

/** Joins the end to a credential `c`, as `ends.expires_at`, in SQL. */
export const joinedEnds =
  'left join records.credential_ends ends on ends.credential_id = c.credential_id';
