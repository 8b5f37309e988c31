import { type AccountDay, type Handled, HandledExceptions } from '#edges/portal';
import { type Queryable } from '#infra/postgres';

const select = {
  name: 'handled-exceptions-of-day',
  text: `
  select line, person, note, handled_at as at from records.handled_exceptions
    where merchant_id = $1 and mode = $2 and account_no = $3 and day = $4::date`,
};
const upsert = `
  insert into records.handled_exceptions (merchant_id, mode, account_no, day, line, person, note)
    select $1, $2, $3, $4::date, line, $6, $7 from unnest($5::text[]) line
  on conflict (merchant_id, mode, account_no, day, line) do update
    set person = excluded.person, note = excluded.note, handled_at = excluded.handled_at`;

export class RecordedHandledExceptions extends HandledExceptions {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async of(day: AccountDay): Promise<ReadonlyMap<string, Handled>> {
    const rows = await this.database.query<Handled & { readonly line: string }>(select, keyOf(day));
    return new Map(rows.map(({ line, person, note, at }) => [line, { person, note, at }]));
  }

  override async handle(
    day: AccountDay,
    lines: readonly string[],
    { person, note }: Pick<Handled, 'person' | 'note'>,
  ): Promise<void> {
    await this.database.query(upsert, [...keyOf(day), [...new Set(lines)], person, note]);
  }
}

function keyOf({ merchantId, mode, accountNo, day }: AccountDay): readonly string[] {
  return [merchantId, mode, accountNo, day];
}
