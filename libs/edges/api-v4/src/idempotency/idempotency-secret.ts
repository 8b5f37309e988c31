import { createHmac, type KeyObject } from 'node:crypto';
import { keptKey } from '#adapters/records';
import { type Queryable } from '#infra/postgres';
import { type Keyring } from '#shared/signing';

/**
 * The key of the digests that stand for idempotency keys and for the fields that they were used with. Made once,
 * kept in the records under MASTER_KEY: under a rotated key, a key that was used would look new.
 */
export class IdempotencySecret {
  private constructor(private readonly key: KeyObject) {}

  static async open(database: Queryable, keyring: Keyring): Promise<IdempotencySecret> {
    return new IdempotencySecret(await keptKey(database, keyring, 'idempotency_hmac_key'));
  }

  /** @param parts are told apart: ("a", "bc") and ("ab", "c") have different digests */
  digest(...parts: readonly string[]): Buffer {
    return createHmac('sha256', this.key).update(JSON.stringify(parts)).digest();
  }
}
