import { randomBytes } from 'node:crypto';
import { type PhoneTraces, PhoneVault } from '#collections';
import { type Keyring, maskPhone, phoneHmac } from '#signing';
import { type Queryable } from '../database.js';
import { keepSecret } from '../records/secrets.js';

const name = 'phone_hmac_key';

/** The key of the phones' digests: made once, kept in the records under MASTER_KEY, never rotated. */
export class SealedPhoneVault extends PhoneVault {
  private constructor(private readonly key: Uint8Array) {
    super();
  }

  static async open(database: Queryable, keyring: Keyring): Promise<SealedPhoneVault> {
    const { keyId, ciphertext } = keyring.seal(name, randomBytes(32));
    const kept = await keepSecret(database, name, {
      keyId,
      ciphertext: Buffer.from(ciphertext, 'base64'),
    });
    const sealed = { keyId: kept.keyId, ciphertext: kept.ciphertext.toString('base64') };
    return new SealedPhoneVault(keyring.open(name, sealed));
  }

  override tracesOf(phone: string): PhoneTraces {
    return { phoneHmac: phoneHmac(this.key, phone), phoneMasked: maskPhone(phone) };
  }
}
