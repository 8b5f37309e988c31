import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Padding, unpad } from './padding.js';

/** Airtel's documents name both lengths. */
const lengths = [1024, 2048] as const;
type Bits = `${(typeof lengths)[number]}`;

/** The rail's RSA keys. A message's key and a PIN may be encrypted to either. They survive restarts. */
export class Keys {
  private constructor(private readonly keys: Readonly<Record<Bits, KeyObject>>) {}

  /** Reads the keys in the directory, or makes them there. */
  static async open(directory: string): Promise<Keys> {
    const path = join(directory, 'keys.json');
    const stored = await readFile(path, 'utf8').catch(() => undefined);
    const pems = stored === undefined ? makePems() : (JSON.parse(stored) as Record<Bits, string>);
    if (stored === undefined) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeFile(`${path}.new`, JSON.stringify(pems), { mode: 0o600 });
      await rename(`${path}.new`, path);
    }
    return new Keys({ 1024: createPrivateKey(pems[1024]), 2048: createPrivateKey(pems[2048]) });
  }

  /** Returns the public key in DER (SPKI), as base64. */
  publicKey(bits: Bits): string {
    return createPublicKey(this.keys[bits])
      .export({ format: 'der', type: 'spki' })
      .toString('base64');
  }

  /**
   * Decrypts with the key of the text's length.
   * @returns undefined if the text fits no key, or if none of the paddings fits
   */
  decrypt(base64: string, paddings: readonly Padding[]): string | undefined {
    const bytes = Buffer.from(base64, 'base64');
    const bits = lengths.find((length) => length === bytes.length * 8);
    if (bits === undefined) return undefined;
    // Node refuses PKCS#1 v1.5 here, and has one hash for both parts of OAEP: so the padding is read by hand.
    const block = attempt(() =>
      privateDecrypt({ key: this.keys[`${bits}`], padding: constants.RSA_NO_PADDING }, bytes),
    );
    if (!block) return undefined;
    for (const padding of paddings) {
      const message = unpad(block, padding);
      if (message) return message.toString('utf8');
    }
    return undefined;
  }
}

function makePems(): Record<Bits, string> {
  const pem = (modulusLength: number): string =>
    generateKeyPairSync('rsa', {
      modulusLength,
      privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
      publicKeyEncoding: { format: 'pem', type: 'spki' },
    }).privateKey;
  return { 1024: pem(1024), 2048: pem(2048) };
}

/** A number beyond the modulus has no decryption. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
