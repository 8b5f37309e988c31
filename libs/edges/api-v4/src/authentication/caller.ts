import { type Mode } from '#domain/kernel';
import {
  type Credential as CredentialRecord,
  credentialsChannel,
  findCredential,
} from '#views/merchants';
import { AddressRanges, AnnouncedCache, parseRate, type Rate } from '#infra/runtime';
import { parsePublicKey, type PublicKey } from '#shared/signing';
import {
  type FactoryProvider,
  Injectable,
  type OnApplicationBootstrap,
  SetMetadata,
} from '@nestjs/common';
import { Database } from '#infra/postgres';
import { ApiV4Options } from '../api-v4.options.js';
import { AccessTokens } from '../ports.js';
import { callersOf, RawBody } from '#shared/http';

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

interface CredentialCacheOptions {
  /** Reads a token's holder from records and view; undefined where the token is unknown, expired or revoked. */
  readonly load: (tokenHash: Buffer) => Promise<TokenHolder | undefined>;
  /** Milliseconds that only rise, whatever happens to the system clock. */
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

/** What a merchant's request proves itself with (EVT-24); encrypted wherever it is kept. */
interface RequestEvidence {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Lower-case hex SHA-256 of the body's bytes. */
  readonly bodyDigest: string;
  readonly nonce: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly keyFingerprint: string;
}

/** Who makes a request that passed every check. */
export interface Caller {
  readonly credential: Credential;
  readonly requestId: string;
  readonly evidence: RequestEvidence;
  /** Without quotes; present on money-movement calls. */
  readonly idempotencyKey: string | undefined;
  /** X-PP-Min-Position, as sent. */
  readonly minPosition: string | undefined;
  /** X-PP-At-Position, as sent. */
  readonly atPosition: string | undefined;
}

/** A body whose sender is known: what a pipe gets. */
export class SignedBody extends RawBody {
  constructor(
    private readonly raw: RawBody,
    readonly caller: Caller,
  ) {
    super(raw.bytes, raw.mediaType);
  }

  /** What the checks have read of it is not read again. */
  override json(): ReturnType<RawBody['json']> {
    return this.raw.json();
  }

  override repeatedMember(): string | undefined {
    return this.raw.repeatedMember();
  }
}

export const { rememberCaller, ByCaller } = callersOf<Caller>();

export const moneyMovement = 'pesapost:v4:money-movement';

/** Marks a route that moves money: it needs an Idempotency-Key. */
export function MoneyMovement(): MethodDecorator {
  return SetMetadata(moneyMovement, true);
}
