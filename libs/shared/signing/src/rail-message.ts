import { type Keyring } from './keyring.js';

/** The rail's bytes on their way through the inbox, encrypted for one row. */
export interface SealedRailMessage {
  readonly id: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

export const railMessageLabel = 'rail-message';

/** Seals a message for the inbox. @param id of the row; the ciphertext opens for no other */
export function sealRailMessage(keyring: Keyring, id: string, bytes: Buffer): SealedRailMessage {
  return { id, ...keyring.sealDataBytes(railMessageLabel, bytes, id) };
}

/** @throws UnopenableCiphertext if the row is damaged or its key was dropped */
export function openRailMessage(
  keyring: Keyring,
  { id, keyId, ciphertext }: SealedRailMessage,
): Buffer {
  return keyring.openBytes(railMessageLabel, keyId, ciphertext, id);
}
