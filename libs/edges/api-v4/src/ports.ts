import { type SealedMessage } from '#domain/evidence';

/** What is known of a token that is not over yet. */
export interface AccessToken {
  readonly credentialId: string;
  readonly expiresAt: Date;
}

/** Which tokens there are, by their digests. */
export abstract class AccessTokens {
  /**
   * Issues a token for as long as its credential has a secret.
   * @returns when it expires; undefined where the credential is revoked
   * @throws DependencyUnavailable
   */
  abstract issue(token: {
    readonly tokenHash: Buffer;
    readonly credentialId: string;
    readonly lifetimeMs: number;
  }): Promise<Date | undefined>;

  /**
   * A flood of unknown tokens holds one connection.
   * @returns undefined for a token that is unknown, expired or revoked
   * @throws DependencyUnavailable
   */
  abstract find(tokenHash: Buffer): Promise<AccessToken | undefined>;
}

export interface ClientSecret {
  readonly credentialId: string;
  readonly secretHash: Buffer;
}

/** Whose secret a client must show. */
export abstract class ClientSecrets {
  /**
   * A flood of unknown client ids holds one connection.
   * @returns undefined for a client that is unknown or revoked
   * @throws DependencyUnavailable
   */
  abstract find(clientId: string): Promise<ClientSecret | undefined>;
}

/** A claim to an idempotency key: who comes with the same key later is compared with it. */
export interface NewClaim {
  /** HMAC of merchant, mode, route and key. */
  readonly keyHash: Buffer;
  /** HMAC of the validated fields. */
  readonly fingerprint: Buffer;
  readonly reference: string;
  /** The call's bytes: durable with the claim, or not at all. */
  readonly message: SealedMessage;
}

export interface Claim extends Omit<NewClaim, 'message'> {
  /** Exact to the millisecond, so that it can be given back to `takeOver`. */
  readonly claimedAt: Date;
  /** By the records' clock. */
  readonly ageMs: number;
}

export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly claimedAt: Date }
  | ({ readonly kind: 'existing' } & Omit<Claim, 'keyHash'>);

/** Who has an idempotency key, for 30 days. Each method throws DependencyUnavailable. */
export abstract class IdempotencyClaims {
  abstract claim(claim: NewClaim): Promise<ClaimOutcome>;

  /**
   * Removes a claim that the caller made and that came to nothing, as if it had never been made. One that was taken
   * over meanwhile is another's, and stays. The call's bytes go in either case.
   * @returns whether it was still the caller's
   */
  abstract giveBack(
    claim: Pick<Claim, 'keyHash' | 'claimedAt'> & Pick<NewClaim, 'message'>,
  ): Promise<boolean>;

  /**
   * Takes over a claim whose owner seems to have died, where it is still as it was seen. The bytes of the owner before
   * stay: what it may have recorded names them.
   * @returns whether this caller, and so no other, has it now
   */
  abstract takeOver(
    claim: Pick<Claim, 'keyHash' | 'fingerprint' | 'claimedAt'> & Pick<NewClaim, 'message'>,
  ): Promise<boolean>;

  /**
   * Makes a claim of one's own as old as one whose owner died, because its call ended without an effect that is
   * known: the same call may come again at once.
   * @param ageMs the age from which `takeOver` is tried
   * @returns false where there is no such claim
   */
  abstract abandon(claim: Pick<Claim, 'keyHash' | 'fingerprint'>, ageMs: number): Promise<boolean>;
}
