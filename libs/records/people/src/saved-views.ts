import { type Person, personId } from '#domain/people';
import { type SavedView, SavedViews, type MerchantMode } from '#edges/portal';
import { type Queryable } from '#infra/postgres';

/** Maximum number of saved views for one person, merchant and mode. */
const maxViews = 20;

const select = {
  name: 'saved-views-list',
  text: `
  select name, query from records.saved_views
    where person = $1 and merchant_id = $2 and mode = $3
    order by name limit ${maxViews}`,
};
// Two forms at once may store one view more than the maximum, which does no harm.
const insert = `
  insert into records.saved_views as known (person, merchant_id, mode, name, query)
    select $1, $2, $3, $4, $5
    where exists (select from records.saved_views
        where person = $1 and merchant_id = $2 and mode = $3 and name = $4)
      or (select count(*) from records.saved_views
        where person = $1 and merchant_id = $2 and mode = $3) < ${maxViews}
  on conflict (person, merchant_id, mode, name) do update set query = excluded.query
  returning 1`;
const remove = `
  delete from records.saved_views where person = $1 and merchant_id = $2 and mode = $3 and name = $4`;

export class RecordedSavedViews extends SavedViews {
  constructor(private readonly database: Queryable) {
    super();
  }

  override list(person: Person, of: MerchantMode): Promise<readonly SavedView[]> {
    return this.database.query<SavedView>(select, keyOf(person, of));
  }

  override async keep(
    person: Person,
    of: MerchantMode,
    { name, query }: SavedView,
  ): Promise<boolean> {
    const rows = await this.database.query(insert, [...keyOf(person, of), name, query]);
    return rows.length > 0;
  }

  override async drop(person: Person, of: MerchantMode, name: string): Promise<void> {
    await this.database.query(remove, [...keyOf(person, of), name]);
  }
}

function keyOf(person: Person, { merchantId, mode }: MerchantMode): readonly string[] {
  return [personId(person), merchantId, mode];
}
