import { type Queryable } from '../database.js';

/** The channel on which the id of a credential is announced whenever what is known of it has changed. */
export const credentialsChannel = 'credentials';

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
    values ($1, $2, records.now_() + $3 * interval '1 millisecond')
    returning expires_at`,
};
const findToken = {
  name: 'access-token-find',
  text: `
    select credential_id, expires_at from records.access_tokens
      where token_hash = $1 and expires_at > records.now_()`,
};
const deleteExpired = `
  delete from records.access_tokens
    where token_hash in (
      select token_hash from records.access_tokens where expires_at < records.now_()
        order by expires_at limit $1)
  returning 1`;
const insertSecret = `
  insert into records.client_secrets (client_id, credential_id, secret_hash) values ($1, $2, $3)`;
const findSecret = {
  name: 'client-secret-find',
  text: `select credential_id, secret_hash from records.client_secrets where client_id = $1`,
};
const deleteOfCredential = `
  with tokens as (delete from records.access_tokens where credential_id = $1),
       secrets as (delete from records.client_secrets where credential_id = $1)
  select pg_notify($2, $1)`;
const announce = `select pg_notify($1, $2)`;

/** @returns when the token expires */
export async function insertAccessToken(
  database: Queryable,
  token: { readonly tokenHash: Buffer; readonly credentialId: string; readonly lifetimeMs: number },
): Promise<Date> {
  const [row] = await database.query<{ expires_at: Date }>(insertToken, [
    token.tokenHash,
    token.credentialId,
    token.lifetimeMs,
  ]);
  if (!row) throw new Error('the token was not inserted');
  return row.expires_at;
}

/** Undefined for a token that is unknown, expired or revoked. */
export async function findAccessToken(
  database: Queryable,
  tokenHash: Buffer,
): Promise<AccessToken | undefined> {
  const [row] = await database.query<{ credential_id: string; expires_at: Date }>(findToken, [
    tokenHash,
  ]);
  return row && { credentialId: row.credential_id, expiresAt: row.expires_at };
}

/** @returns how many */
export async function deleteExpiredTokens(database: Queryable, most = 5000): Promise<number> {
  return (await database.query(deleteExpired, [most])).length;
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

export async function findClientSecret(
  database: Queryable,
  clientId: string,
): Promise<ClientSecret | undefined> {
  const [row] = await database.query<{ credential_id: string; secret_hash: Buffer }>(findSecret, [
    clientId,
  ]);
  return row && { credentialId: row.credential_id, secretHash: row.secret_hash };
}

/** Removes secret and tokens of a credential and announces it, in one statement and so in one transaction. */
export async function revokeCredentialRecords(
  database: Queryable,
  credentialId: string,
): Promise<void> {
  await database.query(deleteOfCredential, [credentialId, credentialsChannel]);
}

/** Tells all processes to forget what they keep of a credential, when the caller's transaction commits. */
export async function announceCredential(database: Queryable, credentialId: string): Promise<void> {
  await database.query(announce, [credentialsChannel, credentialId]);
}
