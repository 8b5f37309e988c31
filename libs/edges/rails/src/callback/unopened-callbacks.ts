import { type Mode } from '#domain/kernel';
import { type Keyring } from '#shared/signing';
import { type InboxEntry } from '../inbox/inbox.js';

/** A callback whose token could not be opened where it came in; token and body are in the ciphertext. */
export interface UnopenedCallback {
  readonly id: string;
  /** The master key that the token names. */
  readonly tokenKeyId: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly sourceAddress: string;
  /** Whether it came from an address of the rail, of either mode. */
  readonly fromRail: boolean;
}

/** The outcome of one: an entry of the inbox, or nothing where its token opens no collection. */
export type Opening = Omit<InboxEntry, 'id' | 'sourceAddress'> | undefined;

/** Callbacks whose token is under a master key that the process which took them does not know. */
export abstract class UnopenedCallbacks {
  /**
   * Durable where it resolves to true; false where the sender's kind has used up its rate or its rows.
   * @throws DependencyUnavailable
   */
  abstract keep(callback: UnopenedCallback): Promise<boolean>;

  /**
   * Moves the oldest that these keys open into the inbox, each once, whatever other workers do.
   * @param keys whose tokens, and whose ciphertexts, can be opened
   * @param open must not throw: what it throws for one keeps all from moving
   * @returns how many were looked at
   * @throws DependencyUnavailable
   */
  abstract move(
    keys: {
      readonly ofTokens: readonly string[];
      readonly ofCiphertexts: readonly string[];
      readonly max: number;
    },
    open: (callback: UnopenedCallback) => Promise<Opening>,
  ): Promise<number>;
}

/** What is sealed of a callback whose token nobody could open yet. */
interface UnopenedPayload {
  readonly token: string;
  readonly bytes: Buffer;
  /** Whether it came from the rail's own addresses, for either mode: which one it is only the token tells. */
  readonly fromRail: Readonly<Record<Mode, boolean>>;
}

export const unopenedLabel = 'unopened-callback';

/** @param id of the row; the ciphertext opens for no other */
export function sealUnopened(keyring: Keyring, id: string, report: UnopenedPayload) {
  const { token, bytes, fromRail } = report;
  const text = JSON.stringify({ token, fromRail, body: bytes.toString('base64') });
  return keyring.sealDataBytes(unopenedLabel, text, id);
}

/** @throws UnopenableCiphertext where the row is damaged */
export function openUnopened(
  keyring: Keyring,
  { id, keyId, ciphertext }: { id: string; keyId: string; ciphertext: Buffer },
): UnopenedPayload {
  const text = keyring.openBytes(unopenedLabel, keyId, ciphertext, id).toString('utf8');
  const { body, ...report } = JSON.parse(text) as Omit<UnopenedPayload, 'bytes'> & { body: string };
  return { ...report, bytes: Buffer.from(body, 'base64') };
}
