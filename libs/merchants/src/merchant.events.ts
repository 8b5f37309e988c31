import { type Minor, type Mode } from '#kernel';
import { type EventTypes, type StoredEvent } from '#event-sourcing';

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

export type CredentialIssued = StoredEvent<
  'CredentialIssued',
  {
    credentialId: string;
    kind: 'v4';
    mode: Mode;
    holder: string;
    clientId: string;
    publicKeyPem: string;
    /** Addresses and CIDR ranges, IPv4 and IPv6. */
    ipRanges: readonly string[];
    /** As settings write it: `100/s burst 200`. Absent: the service's default. */
    rate?: string;
  }
>;

export type CredentialRevoked = StoredEvent<'CredentialRevoked', { credentialId: string }>;

export type FeeScheduleSet = StoredEvent<
  'FeeScheduleSet',
  { mode: Mode; basisPoints: number; flatMinor: Minor }
>;

export type MerchantEvent =
  MerchantRegistered | AccountOpened | CredentialIssued | CredentialRevoked | FeeScheduleSet;

/** The names and versions under which history keeps these events (contract/events.md). */
export const merchantEventTypes = {
  MerchantRegistered: { version: 1 },
  AccountOpened: { version: 1 },
  CredentialIssued: { version: 1 },
  CredentialRevoked: { version: 1 },
  FeeScheduleSet: { version: 1 },
} as const satisfies Record<MerchantEvent['type'], EventTypes[string]>;

export function merchantStream(merchantId: string): string {
  return `merchant-${merchantId}`;
}
