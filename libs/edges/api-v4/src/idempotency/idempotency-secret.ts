import { createHmac, type KeyObject } from 'node:crypto';

/**
 * The key of the digests that stand for idempotency keys and for the fields that they were used with. Made once,
 * kept in the records under MASTER_KEY: under a rotated key, a key that was used would look new.
 */
export class IdempotencySecret {
  constructor(private readonly key: KeyObject) {}

  /** @param parts are told apart: ("a", "bc") and ("ab", "c") have different digests */
  digest(...parts: readonly string[]): Buffer {
    return createHmac('sha256', this.key).update(JSON.stringify(parts)).digest();
  }
}
