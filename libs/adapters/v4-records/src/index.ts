import { constructed } from '#domain/kernel';
import { storedKey } from '#records/keys';
import { AccessTokens, ClientSecrets, IdempotencyClaims, IdempotencySecret } from '#edges/api-v4';
import { Database } from '#infra/postgres';
import { Keyring } from '#shared/signing';
import { type Provider } from '@nestjs/common';
import { RecordedAccessTokens, RecordedClientSecrets } from './credentials.js';
import { RecordedIdempotencyClaims } from './idempotency-claims.js';

export { RecordedAccessTokens, RecordedClientSecrets, RecordedIdempotencyClaims };

/** Implements the ports of api-v4. Needs Database and Keyring. */
export const v4Records: readonly Provider[] = [
  constructed(AccessTokens, RecordedAccessTokens, [Database]),
  constructed(ClientSecrets, RecordedClientSecrets, [Database]),
  constructed(IdempotencyClaims, RecordedIdempotencyClaims, [Database]),
  {
    provide: IdempotencySecret,
    inject: [Database, Keyring],
    useFactory: async (database: Database, keyring: Keyring) =>
      new IdempotencySecret(await storedKey(database, keyring, 'idempotency_hmac_key')),
  },
];
