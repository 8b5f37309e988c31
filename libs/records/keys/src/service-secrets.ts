import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Queryable } from '#infra/postgres';
import { type Keyring, SubscriberSeal, UnopenableCiphertext } from '#shared/signing';

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
 * Stores the secret unless one with that name exists. If several processes start together, only one stores its own.
 * @returns the stored secret: the given one, or the one that existed
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

/**
 * A key that is made once and never rotated, because digests made under it must stay comparable. The records store it
 * under MASTER_KEY, so every process has the same one.
 * @param name of the record, and the label under which it is sealed
 * @param fresh the value to store if there is none yet
 * @throws UnopenableCiphertext if the records were written under another MASTER_KEY
 */
export async function storedKey(
  database: Queryable,
  keyring: Keyring,
  name: string,
  fresh: Uint8Array = randomBytes(32),
): Promise<KeyObject> {
  const sealed = keyring.seal(name, fresh);
  const ciphertext = Buffer.from(sealed.ciphertext, 'base64');
  const kept = await keepSecret(database, name, { keyId: sealed.keyId, ciphertext });
  return createSecretKey(keyring.openBytes(name, kept.keyId, kept.ciphertext, ''));
}

/**
 * Opens the key that hides customers' numbers in the rails' own identifiers. @throws UnopenableCiphertext as
 * `storedKey` does
 */
export async function openSubscriberSeal(
  database: Queryable,
  keyring: Keyring,
): Promise<SubscriberSeal> {
  return new SubscriberSeal(await storedKey(database, keyring, 'subscriber_seal_key'));
}

const masterKeyCheck = 'master_key_check';

/** The data were written under another MASTER_KEY. The message says what to do. */
export class ForeignMasterKey extends Error {
  override readonly name = 'ForeignMasterKey';
}

/**
 * The first process stores a ciphertext; every later process must be able to open it.
 * @throws ForeignMasterKey
 */
export async function checkMasterKey(database: Queryable, keyring: Keyring): Promise<void> {
  try {
    await storedKey(database, keyring, masterKeyCheck, Buffer.from(masterKeyCheck));
  } catch (error) {
    if (!(error instanceof UnopenableCiphertext)) throw error;
    throw new ForeignMasterKey(
      'MASTER_KEY: the data was written under another key. Put that key back, behind the new one where you ' +
        'are rotating (new,old)',
      { cause: error },
    );
  }
}
