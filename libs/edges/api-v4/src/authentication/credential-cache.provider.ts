import { type FactoryProvider, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '#infra/postgres';
import { credentialsChannel, findCredential } from '#views/merchants';
import { ApiV4Options } from '../api-v4.options.js';
import { AccessTokens } from '../ports.js';
import { CredentialCache, type TokenHolder } from './credential-cache.js';
import { readyCredential } from './credential.js';

/**
 * A token is a record, removed the moment its credential is revoked; what the credential may do is a view. Tokens are
 * looked up together, one statement at a time: a flood of unknown ones holds one connection, and a right one among
 * them is found.
 */
export const credentialCacheProvider: FactoryProvider<CredentialCache> = {
  provide: CredentialCache,
  inject: [AccessTokens, Database, ApiV4Options],
  useFactory: (tokens: AccessTokens, database: Database, { defaultRate }: ApiV4Options) =>
    new CredentialCache({
      load: async (tokenHash): Promise<TokenHolder | undefined> => {
        const token = await tokens.find(tokenHash);
        if (!token) return undefined;
        const record = await findCredential(database, token.credentialId);
        return (
          record && {
            credential: readyCredential(record, defaultRate),
            expiresAtMs: token.expiresAt.getTime(),
          }
        );
      },
    }),
};

/** Forgets a credential as soon as another process announces that something about it has changed. */
@Injectable()
export class CredentialAnnouncements implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly cache: CredentialCache,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.database.listen(credentialsChannel, (credentialId) => {
      this.cache.forget(credentialId);
    });
  }
}
