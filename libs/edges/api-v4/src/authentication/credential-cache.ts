import { type Credential } from './credential.js';

/** What a bearer token stands for, and until when. */
export interface TokenHolder {
  readonly credential: Credential;
  readonly expiresAtMs: number;
}

interface Entry {
  readonly holder: TokenHolder;
  readonly readAtMs: number;
}

export interface CredentialCacheOptions {
  /** Reads a token's holder from records and view; undefined where the token is unknown, expired or revoked. */
  readonly load: (tokenHash: Buffer) => Promise<TokenHolder | undefined>;
  /** Milliseconds that only rise, whatever happens to the clock on the wall. */
  readonly monotonicMs?: () => number;
}

/** A revoked credential is honoured no longer than this, even where the announcement is lost. */
const maxAgeMs = 1000;
/** Half of it is left for reading again while the old entry still serves, so that a busy caller never waits. */
const refreshAgeMs = 500;
const maxEntries = 10_000;

/** What authentication knows of bearer tokens, in this process. Ended by announcement and by age. */
export class CredentialCache {
  readonly #load: CredentialCacheOptions['load'];
  readonly #nowMs: () => number;
  readonly #entries = new Map<string, Entry>();
  #loading = new Map<string, Promise<TokenHolder | undefined>>();

  constructor({ load, monotonicMs = () => performance.now() }: CredentialCacheOptions) {
    this.#load = load;
    this.#nowMs = monotonicMs;
  }

  /** @throws DependencyUnavailable where nothing fresh enough is known and nobody can be asked */
  async find(tokenHash: Buffer): Promise<TokenHolder | undefined> {
    const key = tokenHash.toString('hex');
    const entry = this.#entries.get(key);
    const ageMs = entry ? this.#nowMs() - entry.readAtMs : Infinity;
    if (!entry || ageMs >= maxAgeMs) return this.#read(key, tokenHash);
    // Where it fails, the entry ends by age and the next caller hears of it.
    if (ageMs >= refreshAgeMs) this.#read(key, tokenHash).catch(() => undefined);
    return entry.holder;
  }

  /**
   * Serves nothing that was read before now.
   * @param credentialId undefined where announcements may have been missed: then it concerns everything
   */
  forget(credentialId: string | undefined): void {
    // Reads under way may have seen the old state: nobody new joins them, and they keep nothing.
    this.#loading = new Map();
    for (const [key, { holder }] of this.#entries)
      if (credentialId === undefined || holder.credential.credentialId === credentialId)
        this.#entries.set(key, { holder, readAtMs: -Infinity });
  }

  /** One read at a time for each token, whoever asks. */
  #read(key: string, tokenHash: Buffer): Promise<TokenHolder | undefined> {
    const loading = this.#loading;
    const known = loading.get(key);
    if (known) return known;
    const readAtMs = this.#nowMs();
    const read = this.#load(tokenHash)
      .then((holder) => {
        if (loading === this.#loading) this.#keep(key, holder && { holder, readAtMs });
        return holder;
      })
      .finally(() => loading.delete(key));
    loading.set(key, read);
    return read;
  }

  #keep(key: string, entry: Entry | undefined): void {
    this.#entries.delete(key);
    if (!entry) return;
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }
}
