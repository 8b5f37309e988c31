import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';

/** The fate of a payment if our validation address does not answer in time. */
export type WhenSilent = 'complete' | 'cancel';

/** The rail accepted the addresses to which it sends notices of payments without a push. */
export type NoticeAddressesRegistered = StoredEvent<
  'NoticeAddressesRegistered',
  {
    /** The rail. */
    channel: string;
    mode: Mode;
    shortCode: string;
    /** The master key that the addresses name: it must open them for as long as they are registered. */
    keyId: string;
    whenSilent: WhenSilent;
  }
>;

/** The names and versions under which history stores these events (EVT-1). */
export const noticeEventTypes = {
  NoticeAddressesRegistered: { version: 1 },
} as const satisfies Record<NoticeAddressesRegistered['type'], EventTypes[string]>;

export const noticesStream = 'platform-notices';
