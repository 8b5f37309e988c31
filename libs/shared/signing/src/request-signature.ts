import { ok, refuse, type Result } from '#domain/kernel';
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256Hex } from './digest.js';

export type QueryParameter = readonly [name: string, value: string];

const ascii = /^[\x21-\x7e]*$/;

/**
 * Reads a raw query (without its question mark) as sent. A plus is a plus, a parameter without `=` has an empty value,
 * and empty segments (`a=1&&b=2`) are skipped.
 * @returns the parameters, decoded, in the order sent; `malformed_query` if a percent-encoding is broken or is not
 *   UTF-8, or if the query contains a character that a URL may not have
 */
export function parseQuery(rawQuery: string): Result<QueryParameter[], 'malformed_query'> {
  if (!ascii.test(rawQuery)) return refuse('malformed_query');
  const parameters: QueryParameter[] = [];
  try {
    for (const segment of rawQuery.split('&')) {
      if (segment === '') continue;
      const equals = segment.indexOf('=');
      const name = equals === -1 ? segment : segment.slice(0, equals);
      const value = equals === -1 ? '' : segment.slice(equals + 1);
      parameters.push([decodeURIComponent(name), decodeURIComponent(value)]);
    }
  } catch (error) {
    if (error instanceof URIError) return refuse('malformed_query');
    throw error;
  }
  return ok(parameters);
}

/**
 * Returns the spelling of a query that both ends sign. Names and values are encoded by RFC 3986, sorted by encoded
 * name, then by encoded value, and joined as `name=value` with `&`. Without a parameter it is an empty text.
 */
export function canonicalQuery(rawQuery: string): Result<string, 'malformed_query'> {
  if (rawQuery === '') return ok('');
  const parameters = parseQuery(rawQuery);
  if (!parameters.ok) return parameters;
  return ok(
    parameters.value
      .map(([name, value]) => [encodeRfc3986(name), encodeRfc3986(value)] as const)
      .sort(byNameThenValue)
      .map(([name, value]) => `${name}=${value}`)
      .join('&'),
  );
}

/** Encodes five more characters than encodeURIComponent, because RFC 3986 reserves them. */
function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encoded text is ASCII, so the order of UTF-16 units equals the order of bytes in every language. */
function byNameThenValue(left: QueryParameter, right: QueryParameter): number {
  return compare(left[0], right[0]) || compare(left[1], right[1]);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

export interface PublicKey {
  readonly key: KeyObject;
  /** Lower-case hex SHA-256 of the key's SubjectPublicKeyInfo in DER: the same for every spelling of the PEM. */
  readonly fingerprint: string;
  readonly modulusBits: number;
}

type PublicKeyRefusal = 'not_an_rsa_public_key' | 'rsa_key_too_small' | 'rsa_key_too_large';

/** A shorter key is refused, except for V3, whose clients have had theirs for years. */
export const minKeyBits = 2048;
/** V3's minimum. A person who registers such a short key is warned. Shorter keys were broken in public. */
export const minV3KeyBits = 1024;
/**
 * The cost of verification grows with the square of the modulus. Longer keys have no use, and an untrusted sender's key
 * must not cause load.
 */
const maxModulusBits = 8192;

const publicPem = /^\s*-----BEGIN (RSA )?PUBLIC KEY-----/;

/**
 * Reads a merchant's public key (PEM, SPKI or PKCS #1). A private key is refused, although its public half could be
 * derived: a sender of one should be warned.
 * @param minBits of the modulus
 */
export function parsePublicKey(
  pem: string,
  minBits = minKeyBits,
): Result<PublicKey, PublicKeyRefusal> {
  if (!publicPem.test(pem)) return refuse('not_an_rsa_public_key');
  const key = readKey(pem);
  if (key?.asymmetricKeyType !== 'rsa') return refuse('not_an_rsa_public_key');
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  // With an exponent of 1 every text is its own signature.
  if (publicExponent < 3n) return refuse('not_an_rsa_public_key');
  if (modulusLength < minBits) return refuse('rsa_key_too_small');
  if (modulusLength > maxModulusBits) return refuse('rsa_key_too_large');
  const fingerprint = sha256Hex(key.export({ type: 'spki', format: 'der' }));
  return ok({ key, fingerprint, modulusBits: modulusLength });
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    // OpenSSL's messages only add their own source lines to "the key cannot be read".
    return undefined;
  }
}

interface Signed {
  /** Upper case, as in the request line. */
  readonly method: string;
  /** The path's bytes as sent, with percent-encodings, without the query. */
  readonly rawPath: string;
  /** Without the question mark; empty if there is none. */
  readonly rawQuery: string;
  readonly nonce: string;
  /** Unix seconds, decimal digits. */
  readonly timestamp: string;
}

/** The parts that a V4 signature covers, all of them as sent. */
export interface SignedRequest extends Signed {
  /** Empty if there is no body. */
  readonly bodyBytes: Uint8Array;
}

/** The same with the body's digest instead of its bytes. */
export interface DigestedRequest extends Signed {
  /** Lower-case hex SHA-256 of the body's bytes. */
  readonly bodyDigest: string;
}

/** As `stringToSignOf`, for a body as sent. */
export function stringToSign(request: SignedRequest): Result<string, 'malformed_query'> {
  return stringToSignOf({ ...request, bodyDigest: sha256Hex(request.bodyBytes) });
}

/** Returns six lines joined by LF, without a trailing one; `malformed_query` if the query cannot be read. */
export function stringToSignOf(request: DigestedRequest): Result<string, 'malformed_query'> {
  const query = canonicalQuery(request.rawQuery);
  if (!query.ok) return query;
  return ok(
    [
      request.method,
      request.rawPath,
      query.value,
      request.bodyDigest,
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
 * True if the signature is the key's over the text. Base64 is read strictly, with one spelling per signature.
 * @param publicKey a parsed key that the caller keeps, because parsing a PEM costs more than verifying with it
 */
export function verifyV4(publicKey: KeyObject, text: string, signature: string): boolean {
  const bytes = decodeBase64(signature);
  return bytes !== undefined && verify('sha256', Buffer.from(text, 'utf8'), publicKey, bytes);
}

/**
 * Accepts only the standard alphabet, padded, without stray bits, and returns undefined for anything else. (Buffer
 * skips characters that it does not know.)
 */
function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
}
