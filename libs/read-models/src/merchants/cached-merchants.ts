import { type KeyObject } from 'node:crypto';
import { credentialsChannel, type Database, type LinkSecrets } from '#postgres';
import {
  type CheckoutKeyRecord,
  findCheckoutKey,
  findV3Credential,
  type V3CredentialRecord,
} from '../credentials/named-credentials.js';
import { AnnouncedCache } from './announced-cache.js';
import { findMerchant, listCredentials, type MerchantProfile } from './profile.js';

/** With what a credential hashes links. */
export interface LinkKey {
  readonly credentialId: string;
  readonly holder: string;
  /** The secret's UTF-8 bytes. */
  readonly secret: KeyObject;
}

export type CheckoutKey = CheckoutKeyRecord & LinkKey;

/**
 * What the edges of V3 and of checkout ask about merchants, in this process: kept for a second at most, and ended
 * sooner by an announcement. A credential counts only while its secret stands in the records, so a revocation
 * takes effect before the views hear of it.
 */
export class CachedMerchants {
  readonly #v3Credentials: AnnouncedCache<V3CredentialRecord>;
  readonly #checkoutKeys: AnnouncedCache<CheckoutKey>;
  readonly #byId: AnnouncedCache<MerchantProfile>;
  readonly #byVid: AnnouncedCache<MerchantProfile>;
  readonly #v3LinkKeys: AnnouncedCache<readonly LinkKey[]>;

  private constructor(database: Database, secrets: LinkSecrets) {
    this.#v3Credentials = new AnnouncedCache({
      load: async (consumerKey) => {
        const found = await findV3Credential(database, consumerKey);
        return found && (await withSecrets(secrets, [found]))[0];
      },
    });
    this.#checkoutKeys = new AnnouncedCache({
      load: async (keyId) => {
        const found = await findCheckoutKey(database, keyId);
        return found && (await withSecrets(secrets, [found]))[0];
      },
    });
    this.#byId = new AnnouncedCache({ load: (id) => findMerchant(database, 'id', id) });
    this.#byVid = new AnnouncedCache({ load: (vid) => findMerchant(database, 'vid', vid) });
    this.#v3LinkKeys = new AnnouncedCache({
      load: async (merchantId) => {
        const listed = await listCredentials(database, merchantId);
        return withSecrets(
          secrets,
          listed.filter(({ kind, revoked }) => kind === 'v3' && !revoked),
        );
      },
    });
  }

  /** Listens for announcements until the database is closed. */
  static async open(database: Database, secrets: LinkSecrets): Promise<CachedMerchants> {
    const merchants = new CachedMerchants(database, secrets);
    await database.listen(credentialsChannel, () => {
      merchants.#forget();
    });
    return merchants;
  }

  /** @throws DependencyUnavailable, as all of these */
  v3Credential(consumerKey: string): Promise<V3CredentialRecord | undefined> {
    return this.#v3Credentials.find(consumerKey);
  }

  checkoutKey(keyId: string): Promise<CheckoutKey | undefined> {
    return this.#checkoutKeys.find(keyId);
  }

  merchant(merchantId: string): Promise<MerchantProfile | undefined> {
    return this.#byId.find(merchantId);
  }

  merchantByVid(vid: string): Promise<MerchantProfile | undefined> {
    return this.#byVid.find(vid);
  }

  /** The secrets with any of which a V3 checkout link of the merchant may be hashed: one for each V3 credential. */
  async v3LinkKeys(merchantId: string): Promise<readonly LinkKey[]> {
    return (await this.#v3LinkKeys.find(merchantId)) ?? [];
  }

  #forget(): void {
    this.#v3Credentials.forget();
    this.#checkoutKeys.forget();
    this.#byId.forget();
    this.#byVid.forget();
    this.#v3LinkKeys.forget();
  }
}

/** Those whose secret stands; it goes first when a credential is revoked. */
async function withSecrets<One extends { readonly credentialId: string }>(
  secrets: LinkSecrets,
  credentials: readonly One[],
): Promise<(One & { readonly secret: KeyObject })[]> {
  const found = await secrets.find(credentials.map(({ credentialId }) => credentialId));
  return credentials.flatMap((one) => {
    const secret = found.get(one.credentialId);
    return secret ? [{ ...one, secret }] : [];
  });
}
