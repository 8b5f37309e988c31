import { type Mode } from '#domain/kernel';
import {
  type Credential as CredentialRecord,
  credentialsChannel,
  findCredential,
} from '#views/merchants';
import { AddressRanges, AnnouncedCache, parseRate, type Rate } from '#infra/runtime';
import { parsePublicKey, type PublicKey } from '#shared/signing';
import { type FactoryProvider, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '#infra/postgres';
import { ApiV4Options } from '../api-v4.options.js';
import { AccessTokens } from '../ports.js';

/** A credential as the checks need it: what is costly to read is read once. */
export interface Credential {
  readonly credentialId: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly holder: string;
  readonly publicKey: PublicKey;
  readonly addresses: AddressRanges;
  readonly rate: Rate;
}

/** @throws TypeError for a key that registration should have refused: a defect */
export function readyCredential(record: CredentialRecord, defaultRate: Rate): Credential {
  const { credentialId, merchantId, mode, holder, rate } = record;
  const publicKey = parsePublicKey(record.publicKeyPem);
  if (!publicKey.ok)
    throw new TypeError(`credential ${credentialId} has a key that is ${publicKey.refusal}`);
  return {
    credentialId,
    merchantId,
    mode,
    holder,
    publicKey: publicKey.value,
    addresses: new AddressRanges(record.ipRanges),
    rate: (rate === undefined ? undefined : parseRate(rate)) ?? defaultRate,
  };
}

/** What a bearer token stands for, and until when. */
export interface TokenHolder {
  readonly credential: Credential;
  readonly expiresAtMs: number;
}

export interface CredentialCacheOptions {
  /** Reads a token's holder from records and view; undefined where the token is unknown, expired or revoked. */
  readonly load: (tokenHash: Buffer) => Promise<TokenHolder | undefined>;
  /** Milliseconds that only rise, whatever happens to the clock on the wall. */
  readonly monotonicMs?: () => number;
}

/** What authentication knows of bearer tokens, in this process. Ended by announcement and by age. */
export class CredentialCache {
  readonly #holders: AnnouncedCache<TokenHolder>;

  constructor({ load, ...clock }: CredentialCacheOptions) {
    this.#holders = new AnnouncedCache({
      load: (hash) => load(Buffer.from(hash, 'hex')),
      ...clock,
    });
  }

  /** @throws DependencyUnavailable where nothing fresh enough is known and nobody can be asked */
  find(tokenHash: Buffer): Promise<TokenHolder | undefined> {
    return this.#holders.find(tokenHash.toString('hex'));
  }

  /**
   * Serves nothing that was read before now.
   * @param credentialId undefined where announcements may have been missed: then it concerns everything
   */
  forget(credentialId: string | undefined): void {
    this.#holders.forget(
      ({ credential }) => credentialId === undefined || credential.credentialId === credentialId,
    );
  }
}

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
