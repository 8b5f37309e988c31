import { HeadSigner, type Sha256 } from '#domain/audit';
import { parseSealKey, type SealKey, sha256, signHead } from '#shared/signing';

/** Sealing is not possible: AUDIT_SEAL_KEY is not set. */
export class NoSealKey extends Error {
  override readonly name = 'NoSealKey';
  constructor() {
    super('no AUDIT_SEAL_KEY is set: make one with openssl genpkey -algorithm ed25519');
  }
}

/** Signs with AUDIT_SEAL_KEY. */
export class SealKeySigner extends HeadSigner {
  override readonly sha256: Sha256 = sha256;

  private constructor(private readonly key: SealKey | undefined) {
    super();
  }

  /** @param pem undefined if no key is set; everything except sealing works */
  static from(pem: string | undefined): SealKeySigner {
    return new SealKeySigner(pem === undefined ? undefined : parseSealKey(pem));
  }

  get isSet(): boolean {
    return this.key !== undefined;
  }

  override get keyId(): string {
    return this.#required().keyId;
  }

  override get publicKey(): string {
    return this.#required().publicKey;
  }

  override sign(text: string): string {
    return signHead(this.#required(), text);
  }

  /** @throws NoSealKey */
  #required(): SealKey {
    if (!this.key) throw new NoSealKey();
    return this.key;
  }
}
