import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type DifferencesNoted } from '#domain/reconciliation';
import { type Queryable } from '#infra/postgres';

/** A person's note about open lines of a day. */
export interface DifferenceNote {
  /** As events name a person. */
  readonly person: string;
  readonly at: Instant;
  readonly note: string;
  readonly lines: DifferencesNoted['data']['lines'];
}

const select = `
  select actor as person, recorded_at, details::json ->> 'note' as note, details::json -> 'lines' as lines
  from acts
  where merchant_id = $1 and mode = $2 and type = 'DifferencesNoted'
    and details::json ->> 'accountNo' = $3 and details::json ->> 'date' = $4
  order by position`;

/** All notes about a day's open lines, oldest first (REC-35). */
export async function differenceNotes(
  database: Queryable,
  day: {
    readonly merchantId: string;
    readonly mode: Mode;
    readonly accountNo: string;
    readonly date: string;
  },
): Promise<readonly DifferenceNote[]> {
  const { merchantId, mode, accountNo, date } = day;
  const rows = await database.query<Omit<DifferenceNote, 'at'> & { readonly recorded_at: Date }>(
    select,
    [merchantId, mode, accountNo, date],
  );
  return rows.map(({ recorded_at, ...row }) => ({
    ...row,
    at: instantFromMs(recorded_at.getTime()),
  }));
}
