import { hash } from 'node:crypto';
import { type Position } from '#domain/event-sourcing';

/** Version (1 byte) ‖ position (8 bytes, big-endian) ‖ the first 4 bytes of their SHA-256. */
const version = 1;
const [positionEnd, length] = [9, 13];
const maxPosition = 2n ** 64n - 1n;

/**
 * The opaque text from which a later call continues. It contains only the position, so it stays valid for ever and with
 * any filters. The checksum detects a cursor that was cut or mistyped; a cursor is no secret and no permission.
 * @returns base64url without padding
 */
export function encodeCursor(position: Position): string {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt8(version, 0);
  bytes.writeBigUInt64BE(position, 1);
  checksum(bytes.subarray(0, positionEnd)).copy(bytes, positionEnd);
  return bytes.toString('base64url');
}

/** @returns undefined for anything that `encodeCursor` did not return */
export function decodeCursor(text: string): Position | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== length || bytes.toString('base64url') !== text) return undefined;
  if (bytes[0] !== version) return undefined;
  if (!checksum(bytes.subarray(0, positionEnd)).equals(bytes.subarray(positionEnd)))
    return undefined;
  const position = bytes.readBigUInt64BE(1);
  // The log's positions are signed 64-bit numbers wherever they are stored.
  return position > maxPosition >> 1n ? undefined : position;
}

function checksum(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer').subarray(0, length - positionEnd);
}
