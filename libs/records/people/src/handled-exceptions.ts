import { type AccountDay, exceptionKey, type Handled, HandledExceptions } from '#edges/portal';
import { type Queryable } from '#infra/postgres';
import { differenceNotes } from '#views/reconciliations';

// Notes from releases before DifferencesNoted: the last note of each line.
const select = {
  name: 'handled-exceptions-of-day',
  text: `
  select line, person, note, handled_at as at from records.handled_exceptions
    where merchant_id = $1 and mode = $2 and account_no = $3 and day = $4::date`,
};

export class RecordedHandledExceptions extends HandledExceptions {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async of(day: AccountDay): Promise<ReadonlyMap<string, readonly Handled[]>> {
    const { merchantId, mode, accountNo, day: date } = day;
    const rows = await this.database.query<Handled & { readonly line: string }>(select, [
      merchantId,
      mode,
      accountNo,
      date,
    ]);
    const notes = await differenceNotes(this.database, { merchantId, mode, accountNo, date });
    const noted = notes.flatMap(({ lines, person, note, at }) =>
      lines.map((line) => ({ line: exceptionKey(line), person, note, at: new Date(at) })),
    );
    return Map.groupBy([...rows, ...noted], ({ line }) => line);
  }
}
