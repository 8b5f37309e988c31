import { keyring } from '../processes/parts.js';

/** As libs/edges/rails seals the rail's messages. */
const label = 'rail-message';

/** Whether one of the rows holds these very bytes for the stream. */
export function isKept(
  rows: Iterable<{ id: string; stream: string; keyId: string; ciphertext: Buffer }>,
  stream: string,
  bytes: Buffer,
): boolean {
  for (const row of rows) {
    if (row.stream !== stream) continue;
    if (keyring.openBytes(label, row.keyId, row.ciphertext, row.id).equals(bytes)) return true;
  }
  return false;
}
