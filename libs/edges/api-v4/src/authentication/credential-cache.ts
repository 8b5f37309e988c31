import { AnnouncedCache } from '#infra/runtime';
import { type Credential } from './credential.js';

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
