import { type SealedMessage } from '#domain/evidence';
import { type InboxEntry } from '#edges/rails';
import { openMessage, openRailMessage } from '#shared/signing';
import { keyring } from '../processes/parts.js';

/** True if one of the messages contains exactly these bytes for the stream. */
export function isArchived(
  messages: Iterable<SealedMessage>,
  stream: string,
  bytes: Buffer,
): boolean {
  return [...messages].some(
    ({ id, ownKey, ...message }) =>
      message.stream === stream &&
      openMessage(keyring, { messageId: id, ownKey }, message).equals(bytes),
  );
}

/** True if one of the inbox's entries does. */
export function isInInbox(rows: Iterable<InboxEntry>, stream: string, bytes: Buffer): boolean {
  return [...rows].some(
    (row) => row.stream === stream && openRailMessage(keyring, row).equals(bytes),
  );
}
