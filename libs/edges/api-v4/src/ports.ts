import { type SealedMessage } from '#domain/evidence';

/** A token that has not expired yet. */
export interface AccessToken {
  readonly credentialId: string;
  readonly expiresAt: Date;
}

/** Stores access tokens by their digests. */
export abstract class AccessTokens {
  /**
   * Issues a token that lasts at most as long as its credential has a secret.
   * @returns the time at which it expires; undefined if the credential is revoked
   * @throws DependencyUnavailable
   */
  abstract issue(token: {
    readonly tokenHash: Buffer;
    readonly credentialId: string;
    readonly lifetimeMs: number;
  }): Promise<Date | undefined>;

  /**
   * Finds a token. A flood of unknown tokens uses one connection.
   * @returns undefined for a token that is unknown, expired or revoked
   * @throws DependencyUnavailable
   */
  abstract find(tokenHash: Buffer): Promise<AccessToken | undefined>;
}

export interface ClientSecret {
  readonly credentialId: string;
  readonly secretHash: Buffer;
}

/** Finds the secret that a client must show. */
export abstract class ClientSecrets {
  /**
   * Finds a client's secret. A flood of unknown client ids uses one connection.
   * @returns undefined for a client that is unknown or revoked
   * @throws DependencyUnavailable
   */
  abstract find(clientId: string): Promise<ClientSecret | undefined>;
}

/** A claim to an idempotency key. Later calls with the same key are compared with it. */
export interface NewClaim {
  /** HMAC of the merchant, mode, route and key. */
  readonly keyHash: Buffer;
  /** HMAC of the validated fields. */
  readonly fingerprint: Buffer;
  readonly reference: string;
  /** The call's bytes, which become durable with the claim, or not at all. */
  readonly message: SealedMessage;
}

export interface Claim extends Omit<NewClaim, 'message'> {
  /** Exact to the millisecond, so that it can be passed to `takeOver`. */
  readonly claimedAt: Date;
  /** By the records' clock. */
  readonly ageMs: number;
}

export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly claimedAt: Date }
  | ({ readonly kind: 'existing' } & Omit<Claim, 'keyHash'>);

/** Records which call has an idempotency key, for 30 days. Each method throws DependencyUnavailable. */
export abstract class IdempotencyClaims {
  abstract claim(claim: NewClaim): Promise<ClaimOutcome>;

  /**
   * Removes a claim that the caller made and that had no effect, as if it had never been made. A claim that another
   * call took over meanwhile stays. The call's bytes are removed in either case.
   * @returns true if it was still the caller's
   */
  abstract giveBack(
    claim: Pick<Claim, 'keyHash' | 'claimedAt'> & Pick<NewClaim, 'message'>,
  ): Promise<boolean>;

  /**
   * Takes over a claim whose owner seems to have died, if it has not changed since it was read. The previous owner's
   * bytes stay, because its records may name them.
   * @returns true if this caller, and so no other, has it now
   */
  abstract takeOver(
    claim: Pick<Claim, 'keyHash' | 'fingerprint' | 'claimedAt'> & Pick<NewClaim, 'message'>,
  ): Promise<boolean>;

  /**
   * Makes the caller's own claim as old as one whose owner died, because its call ended without a known effect. The
   * same call may then be repeated at once.
   * @param ageMs the age from which `takeOver` is tried
   * @returns false if there is no such claim
   */
  abstract abandon(claim: Pick<Claim, 'keyHash' | 'fingerprint'>, ageMs: number): Promise<boolean>;
}
