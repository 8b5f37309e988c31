import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { checkMasterKey, type SealedTable } from '#records/keys';
import { type Instant } from '#domain/kernel';
import { CredentialSecrets } from '#domain/merchants';
import { type Database, type Queryable } from '#infra/postgres';
import { hashSecret, type Keyring, newSecret } from '#shared/signing';
import { announceCredential, credentialsChannel, setCredentialEnd } from '#views/merchants';

const insertSecret = `
  insert into records.client_secrets (client_id, credential_id, secret_hash) values ($1, $2, $3)`;
const deleteSecret = `delete from records.client_secrets where client_id = $1`;
const setRanges = `
  update records.client_secrets
    set ip_ranges = $2, ip_ranges_set_at = records.now_(), ip_ranges_revision = $3
    where credential_id = $1 and coalesce(ip_ranges_revision <= $3, true)`;
const deleteSecrets = `
  with link_secret as (delete from records.link_secrets where credential_id = $1)
  delete from records.client_secrets where credential_id = $1`;
const deleteTokens = `
  with tokens as (delete from records.access_tokens where credential_id = $1)
  select pg_notify($2, $1)`;
const insertLink = `
  insert into records.link_secrets (credential_id, key_id, ciphertext) values ($1, $2, $3)`;
const findLinks = {
  name: 'link-secrets-find',
  text: `
    select credential_id, key_id, ciphertext from records.link_secrets
      where credential_id = any($1)`,
};

const linkSecretLabel = 'link_secret';

/** The row's id is bound into the ciphertext: a ciphertext that is moved to another credential does not open. */
export const sealedLinkSecrets: SealedTable = {
  table: 'link_secrets',
  idColumn: 'credential_id',
  idType: 'text',
  label: () => linkSecretLabel,
  aad: (credentialId) => credentialId,
  underDataKey: false,
};

/**
 * Credentials' secrets in the records: a digest if the caller shows the secret, a ciphertext if the caller hashes with
 * it.
 */
export class RecordedCredentialSecrets extends CredentialSecrets {
  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {
    super();
  }

  override async issue(credentialId: string): Promise<{ clientId: string; clientSecret: string }> {
    const clientId = `pp_${randomBytes(12).toString('base64url')}`;
    const clientSecret = newSecret();
    const secretHash = hashSecret(clientSecret);
    await insertClientSecret(this.database, { clientId, credentialId, secretHash });
    return { clientId, clientSecret };
  }

  override async withdraw(clientId: string): Promise<void> {
    await this.database.query(deleteSecret, [clientId]);
  }

  override async keepLinkSecret(credentialId: string, secret = newSecret()): Promise<string> {
    // If another key sealed the secret, no process of the service could open it.
    await checkMasterKey(this.database, this.keyring);
    const { keyId, ciphertext } = this.keyring.seal(linkSecretLabel, secret, credentialId);
    const bytes = Buffer.from(ciphertext, 'base64');
    await this.database.query(insertLink, [credentialId, keyId, bytes]);
    return secret;
  }

  // Stores the addresses next to the secret: authentication finds them there even if no projector runs
  // (`findCredential`).
  override async allowFrom(
    credentialId: string,
    ipRanges: readonly string[],
    revision: bigint,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(setRanges, [credentialId, ipRanges, revision]);
      await announceCredential(transaction, credentialId);
    });
  }

  override async endAt(
    credentialId: string,
    expiresAt: Instant | undefined,
    revision: bigint,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await setCredentialEnd(transaction, { credentialId, expiresAt, revision });
      await announceCredential(transaction, credentialId);
    });
  }

  // The first statement waits for tokens that are being issued. Only a statement that begins after it sees them.
  override async revoke(credentialId: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(deleteSecrets, [credentialId]);
      await transaction.query(deleteTokens, [credentialId, credentialsChannel]);
    });
  }
}

/** @throws a unique violation if the client id is taken (see `isUniqueViolation`) */
export async function insertClientSecret(
  database: Queryable,
  secret: {
    readonly clientId: string;
    readonly credentialId: string;
    readonly secretHash: Buffer;
  },
): Promise<void> {
  await database.query(insertSecret, [secret.clientId, secret.credentialId, secret.secretHash]);
}

/**
 * The secrets with which credentials hash links, ready to hash with. A secret is valid until its credential is revoked.
 * @returns secrets by credential id; a credential that was revoked, or never had one, is missing
 * @throws DependencyUnavailable, UnopenableCiphertext
 */
export async function findLinkSecrets(
  database: Queryable,
  keyring: Keyring,
  credentialIds: readonly string[],
): Promise<ReadonlyMap<string, KeyObject>> {
  if (credentialIds.length === 0) return new Map();
  const found = await database.query<{
    credential_id: string;
    key_id: string;
    ciphertext: Buffer;
  }>(findLinks, [credentialIds]);
  return new Map(
    found.map(({ credential_id: credentialId, key_id: keyId, ciphertext }) => {
      const bytes = keyring.openBytes(linkSecretLabel, keyId, ciphertext, credentialId);
      return [credentialId, createSecretKey(bytes)];
    }),
  );
}
