import { type KeyObject } from 'node:crypto';
import { type Clock } from '#domain/kernel';
import { type Database, MicroBatcher } from '#infra/postgres';
import { hasEnded } from './credentials/ending.js';
import { credentialsChannel } from './credentials/query.js';
import {
  type CheckoutKeyRecord,
  findCheckoutKeys,
  findV3Credentials,
  type V3CredentialRecord,
} from './credentials/named-credentials.js';
import { AnnouncedCache } from '#infra/runtime';
import {
  findMerchant,
  findMerchantsByVid,
  listCredentials,
  type MerchantProfile,
} from './profile.js';

/** The key with which a credential hashes links. */
export interface LinkKey {
  readonly credentialId: string;
  /** Null if the credential has no end. */
  readonly expiresAt: Date | null;
  readonly holder: string;
  /** The secret's UTF-8 bytes. */
  readonly secret: KeyObject;
}

/** Finds the secrets with which credentials hash links, by credential id. One that was revoked is missing. */
type FindLinkSecrets = (
  credentialIds: readonly string[],
) => Promise<ReadonlyMap<string, KeyObject>>;

export type CheckoutKey = CheckoutKeyRecord & LinkKey;

/**
 * The pattern of issued names. Anything else a caller sends belongs to no merchant, and may contain a NUL, which
 * Postgres rejects.
 */
const namePattern = /^[\x21-\x7e]{1,128}$/;

/**
 * Merchants for the edges of V3 and of checkout. This process caches them for at most a second; an announcement ends
 * the cache sooner. A credential counts only while its secret is in the records, so a revocation takes effect before
 * the views show it, and only before its end, which each look-up compares with the clock. Callers can invent names, so unknown names are not cached. Names that arrive together are looked
 * up together, so that unknown callers use one connection, however many they are.
 */
export class CachedMerchants {
  readonly #v3Credentials: AnnouncedCache<V3CredentialRecord>;
  readonly #checkoutKeys: AnnouncedCache<CheckoutKey>;
  readonly #byId: AnnouncedCache<MerchantProfile>;
  readonly #byVid: AnnouncedCache<MerchantProfile>;
  readonly #v3LinkKeys: AnnouncedCache<readonly LinkKey[]>;

  private constructor(
    database: Database,
    secrets: FindLinkSecrets,
    private readonly clock: Pick<Clock, 'nowMs'>,
  ) {
    const consumerKeys = new MicroBatcher({
      flush: (keys: readonly string[]) => findV3Credentials(database, keys),
    });
    this.#v3Credentials = new AnnouncedCache<V3CredentialRecord>({
      load: async (consumerKey) => {
        const found = await consumerKeys.add(consumerKey);
        return found && (await withSecrets(secrets, [found]))[0];
      },
    });
    const keyIds = new MicroBatcher({
      flush: (ids: readonly string[]) => findCheckoutKeys(database, ids),
    });
    this.#checkoutKeys = new AnnouncedCache({
      load: async (keyId) => {
        const found = await keyIds.add(keyId);
        return found && (await withSecrets(secrets, [found]))[0];
      },
    });
    this.#byId = new AnnouncedCache({ load: (id) => findMerchant(database, id) });
    const vids = new MicroBatcher({
      flush: (asked: readonly string[]) => findMerchantsByVid(database, asked),
    });
    this.#byVid = new AnnouncedCache({ load: (vid) => vids.add(vid) });
    this.#v3LinkKeys = new AnnouncedCache<readonly LinkKey[]>({
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
  static async open(
    database: Database,
    secrets: FindLinkSecrets,
    clock: Pick<Clock, 'nowMs'>,
  ): Promise<CachedMerchants> {
    const merchants = new CachedMerchants(database, secrets, clock);
    await database.listen(credentialsChannel, () => {
      merchants.#forget();
    });
    return merchants;
  }

  /** @throws DependencyUnavailable, like all of these methods */
  async v3Credential(consumerKey: string): Promise<V3CredentialRecord | undefined> {
    return this.#unlessEnded(await named(consumerKey, this.#v3Credentials));
  }

  async checkoutKey(keyId: string): Promise<CheckoutKey | undefined> {
    return this.#unlessEnded(await named(keyId, this.#checkoutKeys));
  }

  merchant(merchantId: string): Promise<MerchantProfile | undefined> {
    return this.#byId.find(merchantId);
  }

  merchantByVid(vid: string): Promise<MerchantProfile | undefined> {
    return named(vid, this.#byVid);
  }

  /** The secrets that may hash a V3 checkout link of the merchant: one for each V3 credential. */
  async v3LinkKeys(merchantId: string): Promise<readonly LinkKey[]> {
    const keys = await this.#v3LinkKeys.find(merchantId);
    return (keys ?? []).filter((key) => this.#unlessEnded(key) !== undefined);
  }

  #unlessEnded<One extends { readonly expiresAt: Date | null }>(
    one: One | undefined,
  ): One | undefined {
    return one && hasEnded(one, this.clock.nowMs()) ? undefined : one;
  }

  #forget(): void {
    this.#v3Credentials.forget();
    this.#checkoutKeys.forget();
    this.#byId.forget();
    this.#byVid.forget();
    this.#v3LinkKeys.forget();
  }
}

async function named<Value extends object>(
  name: string,
  cache: AnnouncedCache<Value>,
): Promise<Value | undefined> {
  return namePattern.test(name) ? cache.find(name) : undefined;
}

/** Returns the credentials whose secret exists; a revocation deletes the secret first. */
async function withSecrets<One extends { readonly credentialId: string }>(
  secrets: FindLinkSecrets,
  credentials: readonly One[],
): Promise<(One & { readonly secret: KeyObject })[]> {
  const found = await secrets(credentials.map(({ credentialId }) => credentialId));
  return credentials.flatMap((one) => {
    const secret = found.get(one.credentialId);
    return secret ? [{ ...one, secret }] : [];
  });
}
