import { type Database, type Queryable } from '#infra/postgres';
import { announceCredential, credentialsChannel } from '#views/merchants';
import { type EncryptedSecret } from '../keys/secrets.js';

export interface AccessToken {
  readonly credentialId: string;
  readonly expiresAt: Date;
}

export interface ClientSecret {
  readonly credentialId: string;
  readonly secretHash: Buffer;
}

const insertToken = {
  name: 'access-token-insert',
  text: `
    insert into records.access_tokens (token_hash, credential_id, expires_at)
    select $1, credential_id, records.now_() + $3 * interval '1 millisecond'
      from records.client_secrets where credential_id = $2 limit 1 for share
    returning expires_at`,
};
const findTokens = {
  name: 'access-tokens-find',
  text: `
    select token_hash, credential_id, expires_at from records.access_tokens
      where token_hash = any($1::bytea[]) and expires_at > records.now_()`,
};
const deleteExpired = `
  delete from records.access_tokens
    where token_hash in (
      select token_hash from records.access_tokens where expires_at < records.now_()
        order by expires_at limit $1)
  returning 1`;
const insertSecret = `
  insert into records.client_secrets (client_id, credential_id, secret_hash) values ($1, $2, $3)`;
const findSecrets = {
  name: 'client-secrets-find',
  text: `
    select client_id, credential_id, secret_hash from records.client_secrets
      where client_id = any($1::text[])`,
};
const setRanges = `
  update records.client_secrets set ip_ranges = $2, ip_ranges_set_at = records.now_()
    where credential_id = $1`;
const deleteSecrets = `
  with link_secret as (delete from records.link_secrets where credential_id = $1)
  delete from records.client_secrets where credential_id = $1`;
const insertLink = `
  insert into records.link_secrets (credential_id, key_id, ciphertext) values ($1, $2, $3)`;
const findLinks = {
  name: 'link-secrets-find',
  text: `
    select credential_id, key_id, ciphertext from records.link_secrets
      where credential_id = any($1)`,
};
const deleteTokens = `
  with tokens as (delete from records.access_tokens where credential_id = $1)
  select pg_notify($2, $1)`;

/**
 * Issues a token for as long as its credential has a secret, which is locked until the token is there: a
 * revocation comes either before it, or after it and removes it.
 * @returns when the token expires; undefined where the credential is revoked
 */
export async function insertAccessToken(
  database: Queryable,
  token: { readonly tokenHash: Buffer; readonly credentialId: string; readonly lifetimeMs: number },
): Promise<Date | undefined> {
  const [row] = await database.query<{ expires_at: Date }>(insertToken, [
    token.tokenHash,
    token.credentialId,
    token.lifetimeMs,
  ]);
  return row?.expires_at;
}

/** In the order of the hashes; undefined for a token that is unknown, expired or revoked. */
export async function findAccessTokens(
  database: Queryable,
  tokenHashes: readonly Buffer[],
): Promise<(AccessToken | undefined)[]> {
  const rows = await database.query<{
    token_hash: Buffer;
    credential_id: string;
    expires_at: Date;
  }>(findTokens, [tokenHashes]);
  const found = new Map(
    rows.map((row) => [
      row.token_hash.toString('hex'),
      { credentialId: row.credential_id, expiresAt: row.expires_at },
    ]),
  );
  return tokenHashes.map((hash) => found.get(hash.toString('hex')));
}

/** @returns how many */
export async function deleteExpiredTokens(database: Queryable, max = 5000): Promise<number> {
  return (await database.query(deleteExpired, [max])).length;
}

/** @throws a unique violation where the client id is taken (see `isUniqueViolation`) */
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

/** In the order of the client ids; undefined where one is unknown or revoked. */
export async function findClientSecrets(
  database: Queryable,
  clientIds: readonly string[],
): Promise<(ClientSecret | undefined)[]> {
  const rows = await database.query<{
    client_id: string;
    credential_id: string;
    secret_hash: Buffer;
  }>(findSecrets, [clientIds]);
  const found = new Map(
    rows.map((row) => [
      row.client_id,
      { credentialId: row.credential_id, secretHash: row.secret_hash },
    ]),
  );
  return clientIds.map((clientId) => found.get(clientId));
}

/**
 * Notes a credential's new addresses beside its secret and announces it, in one transaction: authentication goes by
 * them at once, whether or not a projector is there to read of it (\`findCredential\`).
 */
export async function setCredentialRanges(
  database: Database,
  credentialId: string,
  ipRanges: readonly string[],
): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(setRanges, [credentialId, ipRanges]);
    await announceCredential(transaction, credentialId);
  });
}

/**
 * Removes secrets and tokens of a credential and announces it, in one transaction of two statements: the first
 * waits for tokens that are being issued, and only a statement that begins after it sees those.
 */
export async function revokeCredentialRecords(
  database: Database,
  credentialId: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(deleteSecrets, [credentialId]);
    await transaction.query(deleteTokens, [credentialId, credentialsChannel]);
  });
}

/** The secret of a credential that hashes links, encrypted; it stands for as long as the credential is not revoked. */
export interface LinkSecret extends EncryptedSecret {
  readonly credentialId: string;
}

export async function insertLinkSecret(
  database: Queryable,
  { credentialId, keyId, ciphertext }: LinkSecret,
): Promise<void> {
  await database.query(insertLink, [credentialId, keyId, ciphertext]);
}

/** Those of the credentials that have one. */
export async function findLinkSecrets(
  database: Queryable,
  credentialIds: readonly string[],
): Promise<LinkSecret[]> {
  const rows = await database.query<{ credential_id: string; key_id: string; ciphertext: Buffer }>(
    findLinks,
    [credentialIds],
  );
  return rows.map(({ credential_id: credentialId, key_id: keyId, ciphertext }) => ({
    credentialId,
    keyId,
    ciphertext,
  }));
}
