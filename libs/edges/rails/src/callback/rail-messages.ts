import { type MessageKind, type SealedMessage } from '#domain/evidence';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Keyring, newOwnKey, sealEvidence, sealMessage, sha256Hex } from '#shared/signing';

/** The rail's bytes on their way through the inbox: encrypted for the row that they stand in. */
export interface SealedRailMessage {
  readonly id: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

/** What a callback came with, besides what it says. */
export interface Arrival {
  readonly bytes: Buffer;
  /** Undefined where the connection did not tell a proper one. */
  readonly sourceAddress: string | undefined;
}

export const railMessageLabel = 'rail-message';

/** For the inbox. @param id of the row; the ciphertext opens for no other */
export function sealRailMessage(keyring: Keyring, id: string, bytes: Buffer): SealedRailMessage {
  return { id, ...keyring.sealDataBytes(railMessageLabel, bytes, id) };
}

/** @throws UnopenableCiphertext where the row is damaged or its key was dropped */
export function openRailMessage(
  keyring: Keyring,
  { id, keyId, ciphertext }: SealedRailMessage,
): Buffer {
  return keyring.openBytes(railMessageLabel, keyId, ciphertext, id);
}

/** What a rail said, sealed to be kept: the evidence of what is posted on it. */
export function railEvidence(
  keyring: Keyring,
  said: {
    readonly id: string;
    readonly kind: MessageKind;
    readonly stream: string;
    readonly bytes: Uint8Array;
  },
): SealedMessage {
  const { id, kind, stream, bytes } = said;
  const ownKey = newOwnKey();
  return { id, kind, stream, ownKey, ...sealMessage(keyring, { messageId: id, ownKey }, bytes) };
}

/** Metadata of a command that the rail's bytes lead to: the rail acts, its row is the cause, the bytes are the evidence. */
export function railMetadata(
  keyring: Keyring,
  report: {
    readonly channel: string;
    readonly id: string;
    readonly correlationId: string;
    /** Of the message as it is kept. */
    readonly ownKey: Uint8Array;
  } & Arrival,
): CommandMetadata {
  const { channel, id, correlationId, ownKey, bytes, sourceAddress } = report;
  const evidence = { sourceAddress, digest: sha256Hex(bytes) };
  return {
    correlationId,
    causationId: id,
    actor: { kind: 'rail', id: channel },
    ...sealEvidence(keyring, evidence, { messageId: id, ownKey }),
  };
}
