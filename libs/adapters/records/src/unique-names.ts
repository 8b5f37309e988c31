import { type Queryable } from '#infra/postgres';

/** What must be unique in the whole service, whatever the merchant and the mode. */
export type UniqueNameKind =
  'account' | 'key_fingerprint' | 'consumer_key' | 'vid' | 'client_id' | 'checkout_key';

// The update that changes nothing makes the statement return the row that was there.
const reserve = `
  insert into records.unique_names as name (kind, value, owner) values ($1, $2, $3)
  on conflict (kind, value) do update set owner = name.owner
  returning owner`;
const find = `select owner from records.unique_names where kind = $1 and value = $2`;

/**
 * Reserves a value before the event that names it is appended. The same owner may ask again, so a command
 * that is repeated after a crash goes through.
 */
export async function reserveName(
  database: Queryable,
  name: { readonly kind: UniqueNameKind; readonly value: string; readonly owner: string },
): Promise<'reserved' | 'taken'> {
  const [row] = await database.query<{ owner: string }>(reserve, [
    name.kind,
    name.value,
    name.owner,
  ]);
  return row?.owner === name.owner ? 'reserved' : 'taken';
}

export async function findNameOwner(
  database: Queryable,
  kind: UniqueNameKind,
  value: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ owner: string }>(find, [kind, value]);
  return row?.owner;
}
