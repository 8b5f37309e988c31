import { type Instant, type Mode } from '#domain/kernel';
import { type Account } from './merchant.js';
import { type WebhookKind } from './merchant.events.js';

/** Finds an account's owner and terms, from a read model. */
export abstract class MerchantDirectory {
  /** Undefined if the account is unknown, or belongs to another merchant or the other mode. */
  abstract findAccount(
    merchantId: string,
    mode: Mode,
    accountNo: string,
  ): Promise<Account | undefined>;
}

/** Finds an account by its number alone, which is unique in the service. */
export abstract class AccountNumbers {
  /**
   * Undefined if the number is not issued, or belongs to the other mode.
   * @throws DependencyUnavailable if the read model cannot say
   */
  abstract find(mode: Mode, accountNo: string): Promise<Account | undefined>;
}

/** Names that callers send in the clear. We create them unless an older system assigned them. */
export type IssuedNameKind = 'consumer_key' | 'vid' | 'checkout_key';

export type UniqueNameKind = 'account' | 'key_fingerprint' | IssuedNameKind;

/** Names that may be used once in the whole service. */
export abstract class UniqueNames {
  /** Returns false if another owner has the name. Reserving one's own name again returns true. */
  abstract reserve(kind: UniqueNameKind, name: string, owner: string): Promise<boolean>;
  /** Returns a new account number: digits, all of the same length, never issued before. */
  abstract issueAccountNo(owner: string): Promise<string>;
  /** Returns a new name of the kind, reserved for the owner. */
  abstract issueName(kind: IssuedNameKind, owner: string): Promise<string>;
}

/** The reasons why V3 no longer accepts a merchant. */
export type V3AdmissionRefusal = 'v3_is_retired' | 'v3_takes_nobody_new' | 'new_merchants_v4_only';

/** Decides whether V3 still accepts a merchant. Another module knows V3's calendar. */
export abstract class V3Admission {
  /** Undefined if the merchant may have a V3 credential now. */
  abstract refusalFor(merchantId: string): Promise<V3AdmissionRefusal | undefined>;
}

/** Creates the secrets of credentials and stores them, hashed or encrypted. History never holds one. */
export abstract class CredentialSecrets {
  /** Creates a client id and a secret of 256 random bits. The secret is shown only now. */
  abstract issue(credentialId: string): Promise<{ clientId: string; clientSecret: string }>;
  /** Deletes a client id and its secret, which were never shown: another call issued the credential. */
  abstract withdraw(clientId: string): Promise<void>;
  /**
   * Stores, encrypted, the secret that keys the hash of a credential's links. It must be readable to check a hash.
   * @param secret as an older system assigned it; if absent, one of 256 random bits is created
   * @returns the secret, which is shown only now
   */
  abstract keepLinkSecret(credentialId: string, secret?: string): Promise<string>;
  /**
   * Applies a V4 credential's new addresses at once, before the views have read their event. Does nothing if a list with
   * a later event was applied before.
   * @param revision of the list's event in the merchant's stream
   */
  abstract allowFrom(
    credentialId: string,
    ipRanges: readonly string[],
    revision: bigint,
  ): Promise<void>;
  /**
   * Applies a credential's end at once, before the projector has read its event. Does nothing if an end with a later
   * event was applied before.
   * @param expiresAt undefined if the credential has no end any more
   * @param revision of the end's event in the merchant's stream; 0 before the credential's own event
   */
  abstract endAt(
    credentialId: string,
    expiresAt: Instant | undefined,
    revision: bigint,
  ): Promise<void>;
  /** Removes secrets and tokens at once, so that no replica honours them a second later. */
  abstract revoke(credentialId: string): Promise<void>;
}

/** One merchant, in one mode. */
export interface MerchantMode {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** The key under which everything about an endpoint is stored. */
export interface WebhookEndpointKey extends MerchantMode {
  readonly kind: WebhookKind;
}

/** Creates the secrets that sign webhooks and stores them, encrypted. */
export abstract class WebhookSecrets {
  /**
   * Creates a secret of 256 random bits for the endpoint and stores it under the id. It signs for 24 h, beside the
   * existing ones, and longer only if it is settled.
   */
  abstract make(endpoint: WebhookEndpointKey, secretId: string): Promise<void>;

  /**
   * Settles a secret whose event is appended. It signs from now on, and the previous one for another 24 h beside it
   * (WEB-7). If several are settled at once, the one with the latest event stays.
   * @param revision of the event that names it, in the merchant's stream
   * @returns the secret, to be shown only now; undefined if this or a later one was settled before
   */
  abstract settle(
    endpoint: WebhookEndpointKey,
    secretId: string,
    revision: bigint,
  ): Promise<string | undefined>;

  /** Like `settle`, for a secret whose command was interrupted: only if the endpoint has no other settled secret. */
  abstract settleFirst(
    endpoint: WebhookEndpointKey,
    secretId: string,
    revision: bigint,
  ): Promise<string | undefined>;
}
