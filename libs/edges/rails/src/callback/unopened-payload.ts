import { type Mode } from '#domain/kernel';
import { type Keyring } from '#shared/signing';

/** What is sealed of a callback whose token nobody could open yet. */
export interface UnopenedPayload {
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
