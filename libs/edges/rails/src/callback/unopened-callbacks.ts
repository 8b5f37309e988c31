import { type Mode } from '#domain/kernel';
import { type Keyring } from '#shared/signing';
import { type InboxEntry } from '../inbox/inbox.js';

/** A callback whose token the receiving process could not open. The ciphertext contains the token and the body. */
export interface UnopenedCallback {
  readonly id: string;
  /** The master key that the token names. */
  readonly tokenKeyId: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly sourceAddress: string;
  /** True if it came from an address of the rail, in either mode. */
  readonly fromRail: boolean;
}

/** The result of opening one callback: an inbox entry, or undefined if its token opens no collection. */
export type Opening = Omit<InboxEntry, 'id' | 'sourceAddress'> | undefined;

/** Callbacks whose token is under a master key that the receiving process does not know. */
export abstract class UnopenedCallbacks {
  /**
   * Resolves to true if the callback is durable, and to false if the sender's kind has used up its rate or its rows.
   */
  abstract keep(callback: UnopenedCallback): Promise<boolean>;

  /**
   * Moves the oldest callbacks that these keys open into the inbox, each exactly once even if other workers run.
   * @param keys the ids of the keys that open tokens, and of those that open ciphertexts
   * @param open must not throw: one exception keeps all of them from moving
   * @returns how many callbacks were looked at
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

/** The sealed content of a callback whose token could not be opened yet. */
interface UnopenedPayload {
  readonly token: string;
  readonly bytes: Buffer;
  /** For each mode, true if it came from the rail's own addresses. Only the token says which mode it belongs to. */
  readonly fromRail: Readonly<Record<Mode, boolean>>;
}

export const unopenedLabel = 'unopened-callback';

/** @param id of the row; the ciphertext opens for no other */
export function sealUnopened(keyring: Keyring, id: string, report: UnopenedPayload) {
  const { token, bytes, fromRail } = report;
  const text = JSON.stringify({ token, fromRail, body: bytes.toString('base64') });
  return keyring.sealDataBytes(unopenedLabel, text, id);
}

/** @throws UnopenableCiphertext if the row is damaged */
export function openUnopened(
  keyring: Keyring,
  { id, keyId, ciphertext }: { id: string; keyId: string; ciphertext: Buffer },
): UnopenedPayload {
  const text = keyring.openBytes(unopenedLabel, keyId, ciphertext, id).toString('utf8');
  const { body, ...report } = JSON.parse(text) as Omit<UnopenedPayload, 'bytes'> & { body: string };
  return { ...report, bytes: Buffer.from(body, 'base64') };
}
