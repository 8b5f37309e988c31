import { type Queryable } from '#infra/postgres';

/** The result of the last `audit check`. */
export interface LastAuditCheck {
  readonly at: Date;
  /** 0 if it passed. */
  readonly faults: number;
  /** The first fault, which may have caused the others; empty if the check passed. */
  readonly cause: string;
}

const put = `
  insert into records.audit_checks as last (faults, cause) values ($1, $2)
  on conflict (only_row) do update
    set checked_at = excluded.checked_at, faults = excluded.faults, cause = excluded.cause`;
const select = `select checked_at as at, faults::float8 as faults, cause from records.audit_checks`;

/** Stores the result of a history check; it replaces the previous result (OPS-56). */
export async function recordAuditCheck(
  database: Queryable,
  { faults, cause }: Pick<LastAuditCheck, 'faults' | 'cause'>,
): Promise<void> {
  await database.query(put, [faults, cause]);
}

/** Undefined if no check was made yet. @throws DependencyUnavailable */
export async function findLastAuditCheck(database: Queryable): Promise<LastAuditCheck | undefined> {
  const [row] = await database.query<LastAuditCheck & Record<string, unknown>>(select);
  return row;
}
