import { type Bytes, sha256Hex, toBase64, utf8 } from '../bytes.js';
import { canonicalQuery } from './canonical-query.js';
import { type SigningKey } from './private-key.js';

/** The parts that a V4 signature covers. */
export interface RequestToSign {
  /** Upper case. */
  readonly method: string;
  /** As sent, with its percent-encodings. */
  readonly rawPath: string;
  /** As sent, without the question mark; empty if there is none. */
  readonly rawQuery: string;
  /** Empty if there is no body. */
  readonly bodyBytes: Bytes;
  readonly nonce: string;
  /** Unix seconds, decimal digits. */
  readonly timestamp: string;
}

/**
 * Returns six lines joined by LF: method, path, canonical query, lower-case hex SHA-256 of the body, nonce, timestamp.
 */
export async function stringToSign(request: RequestToSign): Promise<string> {
  const { method, rawPath, rawQuery, bodyBytes, nonce, timestamp } = request;
  const bodyDigest = await sha256Hex(bodyBytes);
  return [method, rawPath, canonicalQuery(rawQuery), bodyDigest, nonce, timestamp].join('\n');
}

/** @returns RSASSA-PKCS1-v1_5 with SHA-256 over the text's UTF-8 bytes, standard base64 */
export async function sign(key: SigningKey, text: string): Promise<string> {
  const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key, utf8(text));
  return toBase64(new Uint8Array(signature));
}
