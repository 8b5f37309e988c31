import { type Mode } from '#domain/kernel';
import { type Account } from './merchant.js';
import { type WebhookKind } from './merchant.events.js';

/** Answers whose an account is and on what terms; served from a read model. */
export abstract class MerchantDirectory {
  /** Undefined where the account is unknown, another merchant's or of the other mode. */
  abstract findAccount(
    merchantId: string,
    mode: Mode,
    accountNo: string,
  ): Promise<Account | undefined>;
}

/** Names that callers say in the clear, and that we make where no older system gave them. */
export type IssuedNameKind = 'consumer_key' | 'vid' | 'checkout_key';

export type UniqueNameKind = 'account' | 'key_fingerprint' | IssuedNameKind;

/** Names that may be taken once in the whole service. */
export abstract class UniqueNames {
  /** False where another owner has the name; reserving one's own again is true. */
  abstract reserve(kind: UniqueNameKind, name: string, owner: string): Promise<boolean>;
  /** A fresh account number: digits, all of one length, never given out before. */
  abstract issueAccountNo(owner: string): Promise<string>;
  /** A fresh name of the kind, reserved for the owner. */
  abstract issueName(kind: IssuedNameKind, owner: string): Promise<string>;
}

/** Why V3 takes somebody no more. */
export type V3AdmissionRefusal = 'v3_is_retired' | 'v3_takes_nobody_new' | 'new_merchants_v4_only';

/** Whether V3 still takes a merchant in: its calendar is not this module's business. */
export abstract class V3Admission {
  /** Undefined where the merchant may have a V3 credential now. */
  abstract refusalFor(merchantId: string): Promise<V3AdmissionRefusal | undefined>;
}

/** Where the secrets of credentials are made and kept, hashed or encrypted; history never holds one. */
export abstract class CredentialSecrets {
  /** Makes a client id and a secret of 256 random bits. The secret is shown this once. */
  abstract issue(credentialId: string): Promise<{ clientId: string; clientSecret: string }>;
  /**
   * Keeps, encrypted, the secret with which a credential's links are hashed: it must be read again to check a hash.
   * @param secret as an older system gave it; absent: one of 256 random bits is made
   * @returns the secret, which is shown this once
   */
  abstract keepLinkSecret(credentialId: string, secret?: string): Promise<string>;
  /** Makes a V4 credential's new addresses count at once, before the views have read the event that says so. */
  abstract allowFrom(credentialId: string, ipRanges: readonly string[]): Promise<void>;
  /** Removes secrets and tokens at once, so that no replica honours them a second later. */
  abstract revoke(credentialId: string): Promise<void>;
}

/** An endpoint, as everything about it is kept. */
export interface WebhookEndpointKey {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly kind: WebhookKind;
}

/** Where the secrets with which webhooks are signed are made and kept, encrypted. */
export abstract class WebhookSecrets {
  /**
   * Makes a secret of 256 random bits for the endpoint and keeps it under the id. It signs for 24 h, beside what signs
   * already, and for longer only where it is settled.
   */
  abstract make(endpoint: WebhookEndpointKey, secretId: string): Promise<void>;

  /**
   * The secret's event stands: it signs from now on, and the one before for another 24 h beside it (WEB-7). Where several
   * are settled at once, the one with the latest event stays.
   * @param revision of the event that names it, in the merchant's stream
   * @returns the secret, to be shown this once; undefined where it was settled before, or a later one is
   */
  abstract settle(
    endpoint: WebhookEndpointKey,
    secretId: string,
    revision: bigint,
  ): Promise<string | undefined>;

  /** As `settle`, for a secret whose command broke off: only where the endpoint has no other that stays. */
  abstract settleFirst(
    endpoint: WebhookEndpointKey,
    secretId: string,
    revision: bigint,
  ): Promise<string | undefined>;
}
