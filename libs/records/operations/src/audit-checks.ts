import { type Queryable } from '#infra/postgres';
import { type LastAuditCheck } from '#desk/operators';

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

export async function findLastAuditCheck(database: Queryable): Promise<LastAuditCheck | undefined> {
  const [row] = await database.query<LastAuditCheck & Record<string, unknown>>(select);
  return row;
}
