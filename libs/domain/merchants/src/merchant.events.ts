import { type Instant, type Minor, type Mode } from '#domain/kernel';
import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type TwoAdmins } from '#domain/proposals';

export type MerchantRegistered = StoredEvent<
  'MerchantRegistered',
  {
    merchantId: string;
    name: string;
    /** IANA name. The days of lists and statements are days of this zone. Fixed at registration. */
    timezone: string;
    /** ISO 3166 alpha-2. */
    country: string;
  }
>;

export type AccountOpened = StoredEvent<
  'AccountOpened',
  { accountNo: string; mode: Mode; currency: string }
>;

/** The end of a credential. */
export interface Ending {
  /** The credential works before this time only. If absent, it works until it is revoked. */
  readonly expiresAt?: Instant;
}

/** Returns the end as a member to spread, or no member if there is no end. */
export function endOf({ expiresAt }: { readonly expiresAt?: Instant | undefined }): Ending {
  return expiresAt === undefined ? {} : { expiresAt };
}

/** Signs in with a client id and secret, and signs each request with its key. */
export interface V4Credential extends Ending {
  readonly credentialId: string;
  readonly kind: 'v4';
  readonly mode: Mode;
  readonly holder: string;
  readonly clientId: string;
  readonly publicKeyPem: string;
  /** Addresses and CIDR ranges, IPv4 and IPv6. */
  readonly ipRanges: readonly string[];
  /** In the form of settings: `100/s burst 200`. If absent, the service's default applies. */
  readonly rate?: string;
}

/** Identifies itself by its consumer key and signs with its key. It has no mode, since V3's callers pass a flag. */
export interface V3Credential extends Ending {
  readonly credentialId: string;
  readonly kind: 'v3';
  readonly holder: string;
  readonly consumerKey: string;
  readonly publicKeyPem: string;
}

/** Makes V4's checkout links. The key id is part of the link, and the secret (a record) keys its hash. */
export interface CheckoutCredential extends Ending {
  readonly credentialId: string;
  readonly kind: 'checkout';
  readonly mode: Mode;
  readonly holder: string;
  readonly keyId: string;
}

/** A live V4 credential's event names the two admins (PEO-30). */
export type CredentialIssued = StoredEvent<
  'CredentialIssued',
  (V4Credential & Partial<TwoAdmins>) | V3Credential | CheckoutCredential
>;

export type CredentialRevoked = StoredEvent<
  'CredentialRevoked',
  {
    credentialId: string;
    /** True if another person may have used it. Payouts that it requested or approved are not sent (PAY-49). */
    compromised?: true;
  }
>;

/** Sets the end of a credential that is in use, or removes it. */
export type CredentialExpirySet = StoredEvent<
  'CredentialExpirySet',
  { credentialId: string } & Ending & Partial<TwoAdmins>
>;

/** The whole list of addresses from which a V4 credential may call. */
export type IpListChanged = StoredEvent<
  'IpListChanged',
  { credentialId: string; ipRanges: readonly string[] } & Partial<TwoAdmins>
>;

export type FeeScheduleSet = StoredEvent<
  'FeeScheduleSet',
  { mode: Mode; basisPoints: number; flatMinor: Minor } & Partial<TwoAdmins>
>;

/**
 * The bounds of a merchant's payouts in the mode. An absent member sets no bound. Amounts are without the fee, in minor
 * units.
 */
export interface PayoutBounds {
  /** The limit of one payout. */
  readonly maxMinor?: Minor;
  /** The limit of all payouts of a day, in the merchant's time zone. */
  readonly maxPerDayMinor?: Minor;
  /** Up to this amount a payout needs no second holder. If absent, every payout needs one. */
  readonly automaticMaxMinor?: Minor;
  /** The limit of all payouts of a day without a second holder. If absent, there are none. */
  readonly automaticPerDayMinor?: Minor;
}

/** Sets all bounds of the mode's payouts. */
export type LimitsSet = StoredEvent<
  'LimitsSet',
  { mode: Mode } & PayoutBounds & Partial<TwoAdmins>
>;

/** A number that may be paid, in the form that history may hold. */
export interface Destination {
  readonly phoneHmac: string;
  readonly phoneMasked: string;
}

/** The only numbers that may be paid in the mode, the whole list; absent if any may. */
export type DestinationsSet = StoredEvent<
  'DestinationsSet',
  { mode: Mode; destinations?: readonly Destination[] } & Partial<TwoAdmins>
>;

/** From now on no payout of the mode, or of both modes if it is absent, goes to a rail (PAY-47). */
export type PayoutsPaused = StoredEvent<'PayoutsPaused', { mode?: Mode }>;

/** Ends the pauses of the mode, or of both modes if it is absent. In live mode two people decide. */
export type PayoutsResumed = StoredEvent<
  'PayoutsResumed',
  { mode?: Mode; proposedBy?: string; confirmedBy?: string }
>;

/** An event on a merchant's stream, or on the platform's for all merchants. */
export type PauseEvent = PayoutsPaused | PayoutsResumed;

/** The names and versions under which history stores these events (EVT-1). */
export const pauseEventTypes = {
  PayoutsPaused: { version: 1 },
  PayoutsResumed: { version: 1 },
} as const satisfies Record<PauseEvent['type'], EventTypes[string]>;

/** Names the merchant in V3's checkout links. Assigned once, with its first V3 credential. */
export type VidAssigned = StoredEvent<'VidAssigned', { vid: string }>;

/** The whole list of hosts to which the merchant's callbacks and its customers may be sent. */
export type HostsAllowed = StoredEvent<'HostsAllowed', { hosts: readonly string[] }>;

/** The rail over which every account's money may move, whatever is set. */
export const firstChannel = 'mpesa';

/** The rails over which V4 may move the account's money, the whole list. Before the first such event: `mpesa` alone. */
export type AccountChannelsSet = StoredEvent<
  'AccountChannelsSet',
  { accountNo: string; channels: readonly string[] }
>;

/** Sets whether V3's checkout links are refused if digits could have moved into or out of `ttl`. */
export type CheckoutStrictSet = StoredEvent<'CheckoutStrictSet', { strict: boolean }>;

/** V4's webhooks, or webhooks in V3's vocabulary for merchants that still read these. */
export const webhookKinds = ['v4', 'v3'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

/** The target of the mode's webhooks of that kind. It replaces the previous one. */
export type WebhookEndpointSet = StoredEvent<
  'WebhookEndpointSet',
  {
    mode: Mode;
    kind: WebhookKind;
    url: string;
    /** False while events cause no webhooks. */
    enabled: boolean;
    /** True if the headers of standard-webhooks are sent in addition to ours. */
    standardHeaders?: true;
    /** The id of the secret that signs from now on, for V4. The secret itself is in the records. */
    secretId?: string;
  }
>;

/**
 * Binds the holder of credentials from now on (PEO-8): to a person, as `actor.id` names people, or to a system by name.
 */
export type HolderBound = StoredEvent<
  'HolderBound',
  ({ holder: string; person: string } | { holder: string; system: string }) & Partial<TwoAdmins>
>;

export type MerchantEvent =
  | MerchantRegistered
  | AccountOpened
  | CredentialIssued
  | CredentialRevoked
  | CredentialExpirySet
  | IpListChanged
  | FeeScheduleSet
  | LimitsSet
  | DestinationsSet
  | VidAssigned
  | HostsAllowed
  | AccountChannelsSet
  | CheckoutStrictSet
  | WebhookEndpointSet
  | HolderBound
  | PauseEvent;

/** The names and versions under which history stores these events (EVT-1). */
export const merchantEventTypes = {
  MerchantRegistered: { version: 1 },
  AccountOpened: { version: 1 },
  CredentialIssued: { version: 1 },
  CredentialRevoked: { version: 1 },
  CredentialExpirySet: { version: 1 },
  IpListChanged: { version: 1 },
  FeeScheduleSet: { version: 1 },
  LimitsSet: { version: 1 },
  DestinationsSet: { version: 1 },
  VidAssigned: { version: 1 },
  HostsAllowed: { version: 1 },
  AccountChannelsSet: { version: 1 },
  CheckoutStrictSet: { version: 1 },
  WebhookEndpointSet: { version: 1 },
  HolderBound: { version: 1 },
  ...pauseEventTypes,
} as const satisfies Record<MerchantEvent['type'], EventTypes[string]>;

const streamPrefix = 'merchant-';

export function merchantStream(merchantId: string): string {
  return `${streamPrefix}${merchantId}`;
}

/**
 * Returns the merchant of a stream.
 * @param stream as `merchantStream` names it
 */
export function merchantIdOf(stream: string): string {
  return stream.slice(streamPrefix.length);
}
