import { type MerchantMode } from '#domain/merchants';
import { sha256Hex } from '#shared/signing';
import { type RecordedOpen } from '#domain/reconciliation';
import { type Queryable } from '#infra/postgres';
import { differenceNotes } from '#views/reconciliations';

/** A day, YYYY-MM-DD, of one of a merchant's accounts. */
export interface AccountDay extends MerchantMode {
  readonly accountNo: string;
  readonly day: string;
}

/** A note of a person who has dealt with an open line. */
export interface Handled {
  /** The person's id, as events name people. */
  readonly person: string;
  readonly note: string;
  readonly at: Date;
}

/**
 * The key that names an open line from one comparison of its day to the next. It depends neither on the amount nor on a
 * place in a list.
 */
export function exceptionKey({
  finding,
  receipt = '',
  stream = '',
}: Pick<RecordedOpen, 'finding' | 'receipt' | 'stream'>): string {
  return sha256Hex(Buffer.from(JSON.stringify([finding, receipt, stream])));
}

// Notes from releases before DifferencesNoted: the last note of each line.
const select = {
  name: 'handled-exceptions-of-day',
  text: `
  select line, person, note, handled_at as at from records.handled_exceptions
    where merchant_id = $1 and mode = $2 and account_no = $3 and day = $4::date`,
};

/**
 * The notes about open lines of a day (REC-35), by the line's key, the oldest first.
 * @throws DependencyUnavailable
 */
export async function handledExceptions(
  database: Queryable,
  { merchantId, mode, accountNo, day: date }: AccountDay,
): Promise<ReadonlyMap<string, readonly Handled[]>> {
  const rows = await database.query<Handled & { readonly line: string }>(select, [
    ...[merchantId, mode, accountNo, date],
  ]);
  const notes = await differenceNotes(database, { merchantId, mode, accountNo, date });
  const noted = notes.flatMap(({ lines, person, note, at }) =>
    lines.map((line) => ({ line: exceptionKey(line), person, note, at: new Date(at) })),
  );
  return Map.groupBy([...rows, ...noted], ({ line }) => line);
}
