import { createHmac, randomBytes } from 'node:crypto';
import { keepSecret, type Queryable } from '#postgres';
import { type Keyring } from '#signing';

const name = 'idempotency_hmac_key';

/**
 * The key of the digests that stand for idempotency keys and for the fields that they were used with. Made once,
 * kept in the records under MASTER_KEY: under a rotated key, a key that was used would look new.
 */
export class IdempotencySecret {
  private constructor(private readonly key: Uint8Array) {}

  static async open(database: Queryable, keyring: Keyring): Promise<IdempotencySecret> {
    const fresh = keyring.seal(name, randomBytes(32));
    const kept = await keepSecret(database, name, {
      keyId: fresh.keyId,
      ciphertext: Buffer.from(fresh.ciphertext, 'base64'),
    });
    const ciphertext = kept.ciphertext.toString('base64');
    return new IdempotencySecret(keyring.open(name, { keyId: kept.keyId, ciphertext }));
  }

  /** @param parts are told apart: ("a", "bc") and ("ab", "c") have different digests */
  digest(...parts: readonly string[]): Buffer {
    return createHmac('sha256', this.key).update(JSON.stringify(parts)).digest();
  }
}
