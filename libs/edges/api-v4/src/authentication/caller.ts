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
import { AccessTokens } from '#records/credentials';
import { callersOf, RawBody } from '#shared/http';

/** A credential in the form that the checks need. Values that are costly to read are read once. */
export interface Credential {
  readonly credentialId: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly holder: string;
  readonly publicKey: PublicKey;
  readonly addresses: AddressRanges;
  readonly rate: Rate;
}

/** @throws TypeError for a key that registration should have refused, which is a defect */
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

/** The credential of a bearer token, and the time at which the token or its credential expires. */
export interface TokenHolder {
  readonly credential: Credential;
  readonly expiresAtMs: number;
}

interface CredentialCacheOptions {
  /** Reads a token's holder from records and view; undefined if the token is unknown, expired or revoked. */
  readonly load: (tokenHash: Buffer) => Promise<TokenHolder | undefined>;
  /** Milliseconds that only rise, even if the system clock is changed. */
  readonly monotonicMs?: () => number;
}

/** A cache of this process for the bearer tokens that it has read. Announcements and age end its entries. */
export class CredentialCache {
  readonly #holders: AnnouncedCache<TokenHolder>;

  constructor({ load, ...clock }: CredentialCacheOptions) {
    this.#holders = new AnnouncedCache({
      load: (hash) => load(Buffer.from(hash, 'hex')),
      ...clock,
    });
  }

  /** @throws DependencyUnavailable if no fresh entry exists and the records or the view cannot be read */
  find(tokenHash: Buffer): Promise<TokenHolder | undefined> {
    return this.#holders.find(tokenHash.toString('hex'));
  }

  /**
   * Drops entries that were read before now.
   * @param credentialId undefined if announcements may have been missed, and then all entries are dropped
   */
  forget(credentialId: string | undefined): void {
    this.#holders.forget(
      ({ credential }) => credentialId === undefined || credential.credentialId === credentialId,
    );
  }
}

/**
 * A token is a record, which is removed the moment its credential is revoked. The credential's rights are a view.
 * Tokens are looked up together, one statement at a time, so a flood of unknown ones uses one connection and a valid
 * one among them is found.
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
            expiresAtMs: Math.min(
              token.expiresAt.getTime(),
              record.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
            ),
          }
        );
      },
    }),
};

/** Drops a credential as soon as another process announces a change to it. */
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

/** The parts of a merchant's request that prove it (EVT-24). They are encrypted wherever they are stored. */
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

/** The caller of a request that passed every check. */
export interface Caller {
  readonly credential: Credential;
  readonly requestId: string;
  readonly evidence: RequestEvidence;
  /** The trace of the request, if it is recorded. */
  readonly traceparent?: string | undefined;
  /** Without quotes. Present on money-movement calls. */
  readonly idempotencyKey: string | undefined;
  /** The X-PP-Min-Position header as sent. */
  readonly minPosition: string | undefined;
  /** The X-PP-At-Position header as sent. */
  readonly atPosition: string | undefined;
}

/** A body whose sender is known. Pipes receive it. */
export class SignedBody extends RawBody {
  constructor(
    private readonly raw: RawBody,
    readonly caller: Caller,
  ) {
    super(raw.bytes, raw.mediaType);
  }

  /** Returns the body that the checks have parsed already, if they did. */
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
