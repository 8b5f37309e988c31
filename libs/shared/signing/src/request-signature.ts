import { type KeyObject, sign, verify } from 'node:crypto';
import { ok, type Result } from '#domain/kernel';
import { canonicalQuery } from './canonical-query.js';
import { sha256Hex } from './digest.js';

/** What a V4 signature covers, all of it as sent. */
export interface SignedRequest {
  /** Upper case, as in the request line. */
  readonly method: string;
  /** The path's bytes as sent, percent-encodings untouched, without the query. */
  readonly rawPath: string;
  /** Without the question mark; empty where there is none. */
  readonly rawQuery: string;
  /** Empty where there is no body. */
  readonly bodyBytes: Uint8Array;
  readonly nonce: string;
  /** Unix seconds, decimal digits. */
  readonly timestamp: string;
}

/** Six lines joined by LF, without a trailing one; `malformed_query` where the query cannot be read. */
export function stringToSign(request: SignedRequest): Result<string, 'malformed_query'> {
  const query = canonicalQuery(request.rawQuery);
  if (!query.ok) return query;
  return ok(
    [
      request.method,
      request.rawPath,
      query.value,
      sha256Hex(request.bodyBytes),
      request.nonce,
      request.timestamp,
    ].join('\n'),
  );
}

/** @returns the RSASSA-PKCS1-v1_5 signature with SHA-256, standard base64 */
export function signV4(privateKey: KeyObject, text: string): string {
  return sign('sha256', Buffer.from(text, 'utf8'), privateKey).toString('base64');
}

/**
 * Whether the signature is the key's over the text. Base64 is read strictly: one spelling per signature.
 * @param publicKey a parsed key that the caller keeps: parsing a PEM costs more than verifying with it
 */
export function verifyV4(publicKey: KeyObject, text: string, signature: string): boolean {
  const bytes = decodeBase64(signature);
  return bytes !== undefined && verify('sha256', Buffer.from(text, 'utf8'), publicKey, bytes);
}

/** Standard alphabet, padded, no stray bits; undefined for anything else (Buffer reads past what it does not know). */
function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
}
