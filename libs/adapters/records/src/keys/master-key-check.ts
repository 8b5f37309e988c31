import { type Keyring, UnopenableCiphertext } from '#shared/signing';
import { type Queryable } from '#infra/postgres';
import { keptKey } from './kept-key.js';

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
  try {
    await keptKey(database, keyring, name, Buffer.from(name));
  } catch (error) {
    if (!(error instanceof UnopenableCiphertext)) throw error;
    throw new ForeignMasterKey(
      'MASTER_KEY: the data was written under another key. Put that key back, behind the new one where you ' +
        'are rotating (new,old)',
      { cause: error },
    );
  }
}
