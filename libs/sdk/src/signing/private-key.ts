import { fromBase64 } from '../bytes.js';

/** WebCrypto's key type, named here because not every runtime's types have it as a global. */
export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const minModulusBits = 2048;

const toPkcs8 = 'openssl pkcs8 -topk8 -nocrypt -in private.pem -out private.pkcs8.pem';
const makeNew = 'openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out private.pem';

/**
 * Returns the bytes of a PKCS#8 PEM. It accepts line feeds written as `\n`, as in environment variables.
 * @throws TypeError that says what the text is instead, and the command that helps; it never contains any part of the
 *   key
 */
export function readPkcs8Pem(pem: string): Uint8Array<ArrayBuffer> {
  const text = pem.replaceAll('\\r', '').replaceAll('\\n', '\n');
  const [, label = '', base64 = ''] =
    /-----BEGIN ([A-Z0-9 ]{1,40})-----([^-]*)-----END \1-----/.exec(text) ?? [];
  if (label !== 'PRIVATE KEY') throw new TypeError(`privateKey ${whatInstead(label)}`);
  try {
    return fromBase64(base64.replace(/\s/g, ''));
  } catch {
    throw new TypeError('privateKey is damaged: between its BEGIN and END lines is no base64');
  }
}

function whatInstead(label: string): string {
  switch (label) {
    case 'RSA PRIVATE KEY':
      return `is PKCS#1 ("BEGIN RSA PRIVATE KEY"), which WebCrypto cannot read; convert it to PKCS#8: ${toPkcs8}`;
    case 'ENCRYPTED PRIVATE KEY':
      return `is encrypted; decrypt it and keep the result in a secret store: ${toPkcs8}`;
    case 'PUBLIC KEY':
    case 'RSA PUBLIC KEY':
      return 'is a public key; requests are signed with the private key that belongs to it';
    case 'EC PRIVATE KEY':
      return `is an elliptic-curve key; PesaPost takes RSA keys of 2048 bits or more: ${makeNew}`;
    default:
      return `is not a PKCS#8 PEM ("-----BEGIN PRIVATE KEY-----" and on); make a key with: ${makeNew}`;
  }
}

/** @throws TypeError if the bytes are not those of an RSA key of 2048 bits or more */
export async function importPkcs8(bytes: Uint8Array<ArrayBuffer>): Promise<SigningKey> {
  const key = await crypto.subtle
    .importKey('pkcs8', bytes, algorithm, false, ['sign'])
    .catch((cause: unknown) => {
      const why = `privateKey cannot be read as an RSA key in PKCS#8; make one with: ${makeNew}`;
      throw new TypeError(why, { cause });
    });
  const { modulusLength } = key.algorithm as { modulusLength?: number };
  if (modulusLength === undefined || modulusLength < minModulusBits)
    throw new TypeError(`privateKey has fewer than 2048 bits; make a new one with: ${makeNew}`);
  return key;
}
