import { MicroBatcher, type Queryable } from '#infra/postgres';

/** A token that has not expired yet. */
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
const findSecrets = {
  name: 'client-secrets-find',
  text: `
    select client_id, credential_id, secret_hash from records.client_secrets
      where client_id = any($1::text[])`,
};

/** Access tokens, as digests. One statement looks up those that are requested together. */
export class AccessTokens {
  private readonly batcher;

  constructor(private readonly database: Queryable) {
    this.batcher = new MicroBatcher({ flush: (hashes: readonly Buffer[]) => this.findAll(hashes) });
  }

  /**
   * Issues a token that lasts at most as long as its credential has a secret.
   * @returns the time at which it expires; undefined if the credential is revoked
   * @throws DependencyUnavailable
   */
  // The secret's row is locked until the token exists: a revocation either comes before the token, or after it and
  // deletes it.
  async issue(token: {
    readonly tokenHash: Buffer;
    readonly credentialId: string;
    readonly lifetimeMs: number;
  }): Promise<Date | undefined> {
    const { tokenHash, credentialId, lifetimeMs } = token;
    const values = [tokenHash, credentialId, lifetimeMs];
    return (await this.database.query<{ expires_at: Date }>(insertToken, values))[0]?.expires_at;
  }

  /**
   * Finds a token. A flood of unknown tokens uses one connection.
   * @returns undefined for a token that is unknown, expired or revoked
   * @throws DependencyUnavailable
   */
  find(tokenHash: Buffer): Promise<AccessToken | undefined> {
    return this.batcher.add(tokenHash);
  }

  private async findAll(tokenHashes: readonly Buffer[]): Promise<(AccessToken | undefined)[]> {
    const rows = await this.database.query<{
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
}

/** The secrets that clients must show, as digests. One statement looks up those that are requested together. */
export class ClientSecrets {
  private readonly batcher;

  constructor(private readonly database: Queryable) {
    this.batcher = new MicroBatcher({ flush: (ids: readonly string[]) => this.findAll(ids) });
  }

  /**
   * Finds a client's secret. A flood of unknown client ids uses one connection.
   * @returns undefined for a client that is unknown or revoked
   * @throws DependencyUnavailable
   */
  find(clientId: string): Promise<ClientSecret | undefined> {
    return this.batcher.add(clientId);
  }

  private async findAll(clientIds: readonly string[]): Promise<(ClientSecret | undefined)[]> {
    const rows = await this.database.query<{
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
}
