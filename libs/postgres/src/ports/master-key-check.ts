import { type Keyring, UnopenableCiphertext } from '#signing';
import { type Queryable } from '../database.js';
import { keepSecret } from '../records/secrets.js';

const name = 'master_key_check';

/** The data was written under another MASTER_KEY; the message says what to do. */
export class ForeignMasterKey extends Error {
  override readonly name = 'ForeignMasterKey';
}

/**
 * The first process leaves a ciphertext; every later one must be able to open it.
 * @throws ForeignMasterKey
 */
export async function checkMasterKey(database: Queryable, keyring: Keyring): Promise<void> {
  const { keyId, ciphertext } = keyring.seal(name, name);
  const kept = await keepSecret(database, name, {
    keyId,
    ciphertext: Buffer.from(ciphertext, 'base64'),
  });
  try {
    keyring.open(name, { keyId: kept.keyId, ciphertext: kept.ciphertext.toString('base64') });
  } catch (error) {
    if (!(error instanceof UnopenableCiphertext)) throw error;
    throw new ForeignMasterKey(
      `MASTER_KEY: the data was written under key ${kept.keyId}, which this one is not: ` +
        'put that key back, behind the new one where you are rotating (new,old)',
    );
  }
}
