import { unopenedLabel } from '#records/rails';
import { type Mode } from '#domain/kernel';
import { type Keyring } from '#shared/signing';

/** The sealed content of a callback whose token could not be opened yet. */
interface UnopenedPayload {
  readonly token: string;
  readonly bytes: Buffer;
  /** For each mode, true if it came from the rail's own addresses. Only the token says which mode it belongs to. */
  readonly fromRail: Readonly<Record<Mode, boolean>>;
}

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
