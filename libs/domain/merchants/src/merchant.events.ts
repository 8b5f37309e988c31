import { type Minor, type Mode } from '#domain/kernel';
import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type TwoAdmins } from '#domain/proposals';

export type MerchantRegistered = StoredEvent<
  'MerchantRegistered',
  {
    merchantId: string;
    name: string;
    /** IANA name; whole days of lists and statements are days of this zone. Fixed at registration. */
    timezone: string;
    /** ISO 3166 alpha-2. */
    country: string;
  }
>;

export type AccountOpened = StoredEvent<
  'AccountOpened',
  { accountNo: string; mode: Mode; currency: string }
>;

/** Signs in with a client id and secret, signs each request with its key. */
export interface V4Credential {
  readonly credentialId: string;
  readonly kind: 'v4';
  readonly mode: Mode;
  readonly holder: string;
  readonly clientId: string;
  readonly publicKeyPem: string;
  /** Addresses and CIDR ranges, IPv4 and IPv6. */
  readonly ipRanges: readonly string[];
  /** As settings write it: `100/s burst 200`. Absent: the service's default. */
  readonly rate?: string;
}

/** Names itself by its consumer key and signs with its key; of no mode, since V3's callers pass a flag. */
export interface V3Credential {
  readonly credentialId: string;
  readonly kind: 'v3';
  readonly holder: string;
  readonly consumerKey: string;
  readonly publicKeyPem: string;
}

/** Makes V4's checkout links: the key id stands in the link, the secret (a record) in its hash. */
export interface CheckoutCredential {
  readonly credentialId: string;
  readonly kind: 'checkout';
  readonly mode: Mode;
  readonly holder: string;
  readonly keyId: string;
}

/** Live V4 credentials name the two admins (PEO-30). */
export type CredentialIssued = StoredEvent<
  'CredentialIssued',
  (V4Credential & Partial<TwoAdmins>) | V3Credential | CheckoutCredential
>;

export type CredentialRevoked = StoredEvent<
  'CredentialRevoked',
  {
    credentialId: string;
    /** Somebody else may have used it: what it asked for or approved is not sent (PAY-49). */
    compromised?: true;
  }
>;

/** From where a V4 credential may call; the whole list. */
export type IpListChanged = StoredEvent<
  'IpListChanged',
  { credentialId: string; ipRanges: readonly string[] } & Partial<TwoAdmins>
>;

export type FeeScheduleSet = StoredEvent<
  'FeeScheduleSet',
  { mode: Mode; basisPoints: number; flatMinor: Minor } & Partial<TwoAdmins>
>;

/** What a merchant may pay out in the mode; absent members bound nothing. Amounts without the fee, minor units. */
export interface PayoutBounds {
  /** The most that one payout may be. */
  readonly maxMinor?: Minor;
  /** The most that a day of the merchant's zone may sum up to. */
  readonly maxPerDayMinor?: Minor;
  /** Up to this amount a payout needs no second holder. Absent: every payout needs one. */
  readonly automaticMaxMinor?: Minor;
  /** The most that may pass in a day without a second holder. Absent: nothing passes. */
  readonly automaticPerDayMinor?: Minor;
}

/** The bounds of the mode's payouts, all of them. */
export type LimitsSet = StoredEvent<
  'LimitsSet',
  { mode: Mode } & PayoutBounds & Partial<TwoAdmins>
>;

/** A number that may be paid, as history may know it. */
export interface Destination {
  readonly phoneHmac: string;
  readonly phoneMasked: string;
}

/** The only numbers that may be paid in the mode, the whole list; absent: any. */
export type DestinationsSet = StoredEvent<
  'DestinationsSet',
  { mode: Mode; destinations?: readonly Destination[] } & Partial<TwoAdmins>
>;

/** No payout of the mode, or of both if it is absent, is given to a rail from here on (PAY-47). */
export type PayoutsPaused = StoredEvent<'PayoutsPaused', { mode?: Mode }>;

/** Ends the pauses of the mode, or of both if it is absent. Two people decide in live mode. */
export type PayoutsResumed = StoredEvent<
  'PayoutsResumed',
  { mode?: Mode; proposedBy?: string; confirmedBy?: string }
>;

/** On a merchant's stream, or on the platform's for all merchants. */
export type PauseEvent = PayoutsPaused | PayoutsResumed;

/** The names and versions under which history keeps these events (EVT-1). */
export const pauseEventTypes = {
  PayoutsPaused: { version: 1 },
  PayoutsResumed: { version: 1 },
} as const satisfies Record<PauseEvent['type'], EventTypes[string]>;

/** Names the merchant in V3's checkout links; given once, with its first V3 credential. */
export type VidAssigned = StoredEvent<'VidAssigned', { vid: string }>;

/** To which hosts the merchant's callbacks and its customers may be sent; the whole list. */
export type HostsAllowed = StoredEvent<'HostsAllowed', { hosts: readonly string[] }>;

/** Whether V3's checkout links are refused where digits could have moved into or out of `ttl`. */
export type CheckoutStrictSet = StoredEvent<'CheckoutStrictSet', { strict: boolean }>;

/** V4's webhooks, or those in V3's words for who still reads these. */
export const webhookKinds = ['v4', 'v3'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

/** Where the mode's webhooks of that kind go; what was set before ends. */
export type WebhookEndpointSet = StoredEvent<
  'WebhookEndpointSet',
  {
    mode: Mode;
    kind: WebhookKind;
    url: string;
    /** Nothing is owed for what happens while it is not. */
    enabled: boolean;
    /** The headers of standard-webhooks go with ours. */
    standardHeaders?: true;
    /** Of V4: names the secret that signs from now on, which stands in the records. */
    secretId?: string;
  }
>;

/**
 * Who or what the holder of credentials is, from here on (PEO-8): a person, as `actor.id` names people, or a system by
 * name.
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
  | IpListChanged
  | FeeScheduleSet
  | LimitsSet
  | DestinationsSet
  | VidAssigned
  | HostsAllowed
  | CheckoutStrictSet
  | WebhookEndpointSet
  | HolderBound
  | PauseEvent;

/** The names and versions under which history keeps these events (EVT-1). */
export const merchantEventTypes = {
  MerchantRegistered: { version: 1 },
  AccountOpened: { version: 1 },
  CredentialIssued: { version: 1 },
  CredentialRevoked: { version: 1 },
  IpListChanged: { version: 1 },
  FeeScheduleSet: { version: 1 },
  LimitsSet: { version: 1 },
  DestinationsSet: { version: 1 },
  VidAssigned: { version: 1 },
  HostsAllowed: { version: 1 },
  CheckoutStrictSet: { version: 1 },
  WebhookEndpointSet: { version: 1 },
  HolderBound: { version: 1 },
  ...pauseEventTypes,
} as const satisfies Record<MerchantEvent['type'], EventTypes[string]>;

const streamPrefix = 'merchant-';

export function merchantStream(merchantId: string): string {
  return `${streamPrefix}${merchantId}`;
}

/** Whose the stream is. @param stream as `merchantStream` names it */
export function merchantIdOf(stream: string): string {
  return stream.slice(streamPrefix.length);
}
