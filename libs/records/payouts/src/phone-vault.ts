import { type KeyObject } from 'node:crypto';
import { type PhoneTraces } from '#domain/kernel';
import { PhoneVault } from '#domain/collections';
import { type Keyring, maskPhone, phoneHmac } from '#shared/signing';
import { type Queryable } from '#infra/postgres';
import { storedKey } from '#records/keys';

/** The key of the phones' digests: made once, kept in the records under MASTER_KEY, never rotated. */
export class SealedPhoneVault extends PhoneVault {
  private constructor(private readonly key: KeyObject) {
    super();
  }

  static async open(database: Queryable, keyring: Keyring): Promise<SealedPhoneVault> {
    return new SealedPhoneVault(await storedKey(database, keyring, 'phone_hmac_key'));
  }

  override tracesOf(phone: string): PhoneTraces {
    return { phoneHmac: phoneHmac(this.key, phone), phoneMasked: maskPhone(phone) };
  }
}
