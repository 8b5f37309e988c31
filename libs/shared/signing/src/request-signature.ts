import { ok, refuse, type Result } from '#domain/kernel';
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256Hex } from './digest.js';

export type QueryParameter = readonly [name: string, value: string];

const ascii = /^[\x21-\x7e]*$/;

/**
 * Reads a raw query (without its question mark) as sent. A plus is a plus; a parameter without `=` has an
 * empty value; empty segments (`a=1&&b=2`) name nothing and are skipped.
 * @returns the parameters, decoded, in the order sent; `malformed_query` where a percent-encoding is broken,
 *   does not spell UTF-8, or a character stands there that a URL cannot hold
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
 * The one spelling of a query that both ends sign: names and values encoded by RFC 3986, sorted by encoded
 * name, then by encoded value, joined as `name=value` with `&`; an empty text where there is no parameter.
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

/** encodeURIComponent keeps five characters that RFC 3986 reserves. */
function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encoded text is ASCII, so the order of UTF-16 units is the order of bytes in every language. */
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

/** Below it a key is short: refused, but for V3, whose clients have theirs for years. */
export const minKeyBits = 2048;
/** A key of V3 may be as short; whoever registers one is warned. Shorter ones were broken in public. */
export const minV3KeyBits = 1024;
/** Verification grows with the square of the modulus; nobody needs more, and an untrusted sender's key must not be a load. */
const maxModulusBits = 8192;

const publicPem = /^\s*-----BEGIN (RSA )?PUBLIC KEY-----/;

/**
 * Reads a merchant's public key (PEM, SPKI or PKCS #1). A private key is refused, although one could derive the
 * public half: whoever sends one should be told, not helped.
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
  // An exponent of 1 signs nothing: every text is its own signature.
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
    // OpenSSL's messages name its own source lines; that the key cannot be read is all there is to say.
    return undefined;
  }
}

interface Signed {
  /** Upper case, as in the request line. */
  readonly method: string;
  /** The path's bytes as sent, percent-encodings untouched, without the query. */
  readonly rawPath: string;
  /** Without the question mark; empty where there is none. */
  readonly rawQuery: string;
  readonly nonce: string;
  /** Unix seconds, decimal digits. */
  readonly timestamp: string;
}

/** What a V4 signature covers, all of it as sent. */
export interface SignedRequest extends Signed {
  /** Empty where there is no body. */
  readonly bodyBytes: Uint8Array;
}

/** The same, for who needs the body's digest besides. */
export interface DigestedRequest extends Signed {
  /** Lower-case hex SHA-256 of the body's bytes. */
  readonly bodyDigest: string;
}

/** As `stringToSignOf`, of a body as sent. */
export function stringToSign(request: SignedRequest): Result<string, 'malformed_query'> {
  return stringToSignOf({ ...request, bodyDigest: sha256Hex(request.bodyBytes) });
}

/** Six lines joined by LF, without a trailing one; `malformed_query` where the query cannot be read. */
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
