import { type Queryable } from '#infra/postgres';

/** A secret of the service itself, encrypted under the key that `keyId` names. */
export interface EncryptedSecret {
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

const insert = `
  insert into records.secrets (name, key_id, ciphertext) values ($1, $2, $3)
  on conflict (name) do nothing`;
const find = `select key_id, ciphertext from records.secrets where name = $1`;

export async function findSecret(
  database: Queryable,
  name: string,
): Promise<EncryptedSecret | undefined> {
  const [row] = await database.query<{ key_id: string; ciphertext: Buffer }>(find, [name]);
  return row && { keyId: row.key_id, ciphertext: row.ciphertext };
}

/**
 * Keeps the secret where none of that name exists, so that of processes that start together one makes it.
 * @returns the secret that is kept: the one given, or the one that was there
 */
export async function keepSecret(
  database: Queryable,
  name: string,
  secret: EncryptedSecret,
): Promise<EncryptedSecret> {
  await database.query(insert, [name, secret.keyId, secret.ciphertext]);
  const kept = await findSecret(database, name);
  if (!kept) throw new Error(`secret ${name} vanished while it was read`);
  return kept;
}
