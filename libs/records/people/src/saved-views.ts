import { type Person, personId } from '#domain/people';
import { type MerchantMode } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';

/** A saved view: a list's filters under a name. */
export interface SavedView {
  readonly name: string;
  /** The list's query, without its question mark. */
  readonly query: string;
}

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

/** A person's own views, by name. @throws DependencyUnavailable, like all of these functions */
export function listSavedViews(
  database: Queryable,
  person: Person,
  of: MerchantMode,
): Promise<readonly SavedView[]> {
  return database.query<SavedView>(select, keyOf(person, of));
}

/**
 * Stores a view, and replaces one of the same name.
 * @returns false if the person already has the most views, and nothing was stored
 */
export async function keepSavedView(
  database: Queryable,
  person: Person,
  of: MerchantMode,
  { name, query }: SavedView,
): Promise<boolean> {
  const rows = await database.query(insert, [...keyOf(person, of), name, query]);
  return rows.length > 0;
}

export async function dropSavedView(
  database: Queryable,
  person: Person,
  of: MerchantMode,
  name: string,
): Promise<void> {
  await database.query(remove, [...keyOf(person, of), name]);
}

function keyOf(person: Person, { merchantId, mode }: MerchantMode): readonly string[] {
  return [personId(person), merchantId, mode];
}
