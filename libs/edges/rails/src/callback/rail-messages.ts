import { type CommandMetadata } from '#domain/event-sourcing';
import { type Keyring, sealEvidence, sha256Hex } from '#shared/signing';

/** The rail's bytes as the records keep them: encrypted for the row that they stand in. */
interface SealedRailMessage {
  readonly id: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

export interface DigestedRailMessage extends SealedRailMessage {
  /**
   * HMAC-SHA256 under the key that `keyId` names. A plain digest would give away the phone number in the
   * bytes to whoever tries all of them.
   */
  readonly digest: Buffer;
}

/** The rail's own bytes, encrypted. */
export interface RailMessage extends DigestedRailMessage {
  readonly stream: string;
}

/** Where the rail's own bytes are kept, encrypted: the evidence of what is posted on them. */
export abstract class RailMessages {
  /** Durable when it resolves; one whose id is there already changes nothing. @throws DependencyUnavailable */
  abstract keep(report: RailMessage): Promise<void>;
}

/** What a callback came with, besides what it says. */
export interface Arrival {
  readonly bytes: Buffer;
  /** Undefined where the connection did not tell a proper one. */
  readonly sourceAddress: string | undefined;
}

export const railMessageLabel = 'rail-message';

/** @param id of the row; the ciphertext opens for no other */
export function sealRailMessage(keyring: Keyring, id: string, bytes: Buffer): DigestedRailMessage {
  const { keyId, ciphertext } = keyring.sealDataBytes(railMessageLabel, bytes, id);
  return { id, keyId, ciphertext, digest: keyring.hmacUnder(keyId, railMessageLabel, bytes) };
}

/** @throws UnopenableCiphertext where the row is damaged or its key was dropped */
export function openRailMessage(
  keyring: Keyring,
  { id, keyId, ciphertext }: SealedRailMessage,
): Buffer {
  return keyring.openBytes(railMessageLabel, keyId, ciphertext, id);
}

/** Metadata of a command that the rail's bytes lead to: the rail acts, its row is the cause, the bytes are the evidence. */
export function railMetadata(
  keyring: Keyring,
  report: {
    readonly channel: string;
    readonly id: string;
    readonly correlationId: string;
  } & Arrival,
): CommandMetadata {
  const { channel, id, correlationId, bytes, sourceAddress } = report;
  return {
    correlationId,
    causationId: id,
    actor: { kind: 'rail', id: channel },
    ...sealEvidence(keyring, { sourceAddress, digest: sha256Hex(bytes) }),
  };
}
