import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Keyring } from '#shared/signing';
import { type Queryable } from '#infra/postgres';
import { keepSecret } from './secrets.js';

/**
 * A key that is made once and never rotated, because digests made under it must stay comparable; kept in the
 * records under MASTER_KEY, so every process has the same.
 * @param name of the record, and the label under which it is sealed
 * @param fresh what to keep where there is none yet
 * @throws UnopenableCiphertext where the records were written under another MASTER_KEY
 */
export async function keptKey(
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
