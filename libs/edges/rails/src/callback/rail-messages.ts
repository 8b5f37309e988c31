import { type ListedPayment } from '#domain/collections';
import { type Ids } from '#domain/kernel';
import { type MessageKind, type SealedMessage } from '#domain/evidence';
import { type CommandMetadata, type Proof } from '#domain/event-sourcing';
import { type Keyring, newOwnKey, sealEvidence, sealMessage, sha256Hex } from '#shared/signing';

/** Data that arrived with a callback, besides its content. */
export interface Arrival {
  readonly bytes: Buffer;
  /** Undefined if the connection gave no valid address. */
  readonly sourceAddress: string | undefined;
}

/** Seals a rail's message as the evidence for what is posted on it. */
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

/**
 * Returns the metadata of a command that the rail's bytes cause. The rail is the actor, the stored row is the cause and
 * the bytes are the evidence.
 */
export function railMetadata(
  keyring: Keyring,
  report: {
    readonly channel: string;
    readonly id: string;
    readonly correlationId: string;
    /** The own key of the stored message. */
    readonly ownKey: Uint8Array;
  } & Arrival,
): CommandMetadata & Proof {
  const { channel, id, correlationId, ownKey, bytes, sourceAddress } = report;
  const evidence = { sourceAddress, digest: sha256Hex(bytes) };
  return {
    correlationId,
    causationId: id,
    actor: { kind: 'rail', id: channel },
    ...sealEvidence(keyring, evidence, { messageId: id, ownKey }),
  };
}

/** Returns the metadata of a command whose evidence is an entry of the rail's list. */
export function listedMetadata(
  { ids, keyring }: { readonly ids: Ids; readonly keyring: Keyring },
  channel: string,
  { receipt, amountMinor }: ListedPayment,
): CommandMetadata & Proof {
  return {
    correlationId: ids.next(),
    actor: { kind: 'rail', id: channel },
    ...sealEvidence(keyring, { listed: { receipt, amountMinor: amountMinor.toString() } }),
  };
}
