import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { constantTimeEqual, randomBytes } from './digest.js';

/** A master key: an id that ciphertexts name, and 32 bytes. */
export interface MasterKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** The stored form of a plaintext. */
export interface Sealed {
  readonly keyId: string;
  /** Standard base64. */
  readonly ciphertext: string;
}

const keyBytes = 32;
/** Data keys have a dot in their ids, which distinguishes them from master keys. */
export const masterKeyIdPattern = /^[A-Za-z0-9_-]{1,32}$/;
const dataKeyIdPattern = /^[A-Za-z0-9_-]{1,12}\.[A-Za-z0-9._-]{1,32}$/;
const saltBytes = 24;
const tagBytes = 16;
const nothing = Buffer.alloc(0);
/** The number of bytes by which a sealed text is longer than the plaintext. */
export const sealingBytes = saltBytes + tagBytes;

/**
 * Keys in the records, wrapped by a master key. A text sealed under them does not depend on one master key for ever.
 */
export interface DataKeySet {
  /** Their ids contain a dot. */
  readonly keys: readonly MasterKey[];
  /** The one that seals from now on. */
  readonly currentId: string;
}

/**
 * The master keys: the first one encrypts, all decrypt. Each purpose has a label and, by HKDF-SHA256, a sub-key of its
 * own. So a text that was sealed for one purpose opens for no other. The ring also has the data keys, if the process
 * has loaded them.
 */
export class Keyring {
  private readonly subKeys = new Map<string, KeyObject>();
  private dataKeys: ReadonlyMap<string, MasterKey> = new Map();
  private dataKeyId: string | undefined;

  private constructor(
    private readonly first: MasterKey,
    private readonly keys: ReadonlyMap<string, MasterKey>,
  ) {}

  /** @throws RangeError if there is no key, an id is malformed or repeated, or a key is not 32 bytes */
  static from(masterKeys: readonly MasterKey[]): Keyring {
    const [first] = masterKeys;
    if (!first) throw new RangeError('a keyring needs at least one key');
    const keys = new Map<string, MasterKey>();
    for (const { id, bytes } of masterKeys) {
      if (!masterKeyIdPattern.test(id))
        throw new RangeError('a key id is not of [A-Za-z0-9_-]{1,32}');
      if (bytes.length !== keyBytes) throw new RangeError(`key ${id} is not ${keyBytes} bytes`);
      if (keys.has(id)) throw new RangeError(`key id ${id} stands twice`);
      keys.set(id, { id, bytes });
    }
    return new Keyring(first, keys);
  }

  hasMasterKey(keyId: string): boolean {
    return this.keys.has(keyId);
  }

  get masterKeyIds(): readonly string[] {
    return [...this.keys.keys()];
  }

  /** The id under which this ring encrypts. */
  get currentKeyId(): string {
    return this.first.id;
  }

  /** The ids of all keys under which this ring opens ciphertexts. */
  get keyIds(): readonly string[] {
    return [...this.keys.keys(), ...this.dataKeys.keys()];
  }

  /** The key of `sealData`: the current data key, or the first master key if none was loaded. */
  get currentDataKeyId(): string {
    return this.dataKeyId ?? this.first.id;
  }

  /** Replaces the data keys. A key that is no longer among them opens nothing any more. */
  useDataKeys({ keys, currentId }: DataKeySet): void {
    const next = new Map(keys.map((key) => [key.id, key]));
    const wrong = keys.find(
      ({ id, bytes }) => !dataKeyIdPattern.test(id) || bytes.length !== keyBytes,
    );
    if (wrong || !next.has(currentId)) throw new RangeError('these are no data keys');
    for (const name of this.subKeys.keys()) {
      const id = name.slice(0, name.indexOf('\n'));
      if (!this.keys.has(id) && !next.has(id)) this.subKeys.delete(name);
    }
    this.dataKeys = next;
    this.dataKeyId = currentId;
  }

  /** @param aad bytes that must be the same at opening, such as the row's key; not stored */
  seal(label: string, plaintext: string | Uint8Array, aad = ''): Sealed {
    const keyId = this.first.id;
    return { keyId, ciphertext: this.sealBytes(label, plaintext, aad).toString('base64') };
  }

  /** As `seal`, under the current data key: for texts that are kept for years and cannot be re-encrypted. */
  sealData(label: string, plaintext: string | Uint8Array, aad = ''): Sealed {
    const { keyId, ciphertext } = this.sealDataBytes(label, plaintext, aad);
    return { keyId, ciphertext: ciphertext.toString('base64') };
  }

  /** As `sealData`, with the ciphertext as bytes. */
  sealDataBytes(
    label: string,
    plaintext: string | Uint8Array,
    aad: string,
  ): { readonly keyId: string; readonly ciphertext: Buffer } {
    const keyId = this.currentDataKeyId;
    return { keyId, ciphertext: this.sealUnder(keyId, label, { plaintext, aad }) };
  }

  /**
   * As `sealDataBytes`, but also under a key of its own: 32 random bytes that are stored separately from the
   * ciphertext. Once they are gone, no key of the ring opens it. One such key may seal any number of texts.
   */
  sealOwnBytes(
    label: string,
    ownKey: Uint8Array,
    { plaintext, aad }: { readonly plaintext: string | Uint8Array; readonly aad: string },
  ): { readonly keyId: string; readonly ciphertext: Buffer } {
    const keyId = this.currentDataKeyId;
    return { keyId, ciphertext: this.sealUnder(keyId, label, { plaintext, aad, ownKey }) };
  }

  /** Opens a text that `sealOwnBytes` sealed. @throws UnopenableCiphertext */
  openOwnBytes(
    label: string,
    ownKey: Uint8Array,
    sealed: {
      readonly keyId: string;
      readonly ciphertext: Uint8Array;
      readonly aad: string;
    },
  ): Buffer {
    return this.openUnder(sealed.keyId, label, { ...sealed, ownKey });
  }

  /** @throws UnopenableCiphertext if the key is not in the ring, or the ciphertext, label or aad is a different one */
  open(label: string, sealed: Sealed, aad = ''): Buffer {
    return this.openBytes(label, sealed.keyId, Buffer.from(sealed.ciphertext, 'base64'), aad);
  }

  /**
   * Returns a keyed digest for looking up values that must not be readable, such as an idempotency key. It names its
   * key, because another key gives another digest.
   * @returns `<key id>:<lower-case hex HMAC-SHA256>`
   */
  hmac(label: string, data: string | Uint8Array): string {
    const { id } = this.first;
    return `${id}:${this.hmacUnder(id, label, data).toString('hex')}`;
  }

  /**
   * True if `hmac` gave this digest, here or in a process with another first key, as during a key rotation. It is
   * compared under the master key that it names.
   */
  isHmac(digest: string, label: string, data: string | Uint8Array): boolean {
    const id = digest.slice(0, Math.max(0, digest.indexOf(':')));
    if (!this.keys.has(id)) return false;
    return constantTimeEqual(`${id}:${this.hmacUnder(id, label, data).toString('hex')}`, digest);
  }

  /** HMAC-SHA256. @throws UnopenableCiphertext if the key is not in the ring */
  hmacUnder(keyId: string, label: string, data: string | Uint8Array): Buffer {
    return createHmac('sha256', this.subKey(keyId, label)).update(data).digest();
  }

  /**
   * Layout: salt (24 bytes) ‖ ciphertext ‖ tag (16). Cipher key and nonce both derive from the sub-key and the random
   * salt. With one key for all, random 96-bit nonces would only allow 2³² messages, which we would reach in months.
   */
  sealBytes(label: string, plaintext: string | Uint8Array, aad: string): Buffer {
    return this.sealUnder(this.first.id, label, { plaintext, aad });
  }

  private sealUnder(
    keyId: string,
    label: string,
    {
      plaintext,
      aad,
      ownKey = nothing,
    }: {
      readonly plaintext: string | Uint8Array;
      readonly aad: string;
      readonly ownKey?: Uint8Array;
    },
  ): Buffer {
    const salt = randomBytes(saltBytes);
    const { key, nonce } = this.messageKey(keyId, label, [salt, ownKey]);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    if (aad !== '') cipher.setAAD(Buffer.from(aad, 'utf8'));
    const text = typeof plaintext === 'string' ? Buffer.from(plaintext, 'utf8') : plaintext;
    return Buffer.concat([salt, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws UnopenableCiphertext */
  openBytes(label: string, keyId: string, sealed: Uint8Array, aad: string): Buffer {
    return this.openUnder(keyId, label, { ciphertext: sealed, aad });
  }

  private openUnder(
    keyId: string,
    label: string,
    {
      ciphertext: sealed,
      aad,
      ownKey = nothing,
    }: { readonly ciphertext: Uint8Array; readonly aad: string; readonly ownKey?: Uint8Array },
  ): Buffer {
    if (!this.keys.has(keyId) && !this.dataKeys.has(keyId))
      throw new UnopenableCiphertext('its key is not in the ring');
    if (sealed.length < saltBytes + tagBytes) throw new UnopenableCiphertext('it is too short');
    const salt = sealed.subarray(0, saltBytes);
    const { key, nonce } = this.messageKey(keyId, label, [salt, ownKey]);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
      .setAAD(Buffer.from(aad, 'utf8'))
      .setAuthTag(sealed.subarray(sealed.length - tagBytes));
    try {
      const body = sealed.subarray(saltBytes, sealed.length - tagBytes);
      return Buffer.concat([decipher.update(body), decipher.final()]);
    } catch (error) {
      throw new UnopenableCiphertext('it was not sealed under this key, label and aad', {
        cause: error,
      });
    }
  }

  /** A salt's length is fixed, so a salt with an own key never equals another salt. */
  private messageKey(
    keyId: string,
    label: string,
    [salt, ownKey]: readonly [salt: Uint8Array, ownKey: Uint8Array],
  ) {
    const okm = createHmac('sha512', this.subKey(keyId, label))
      .update(salt)
      .update(ownKey)
      .digest();
    // A KeyObject, because Node tries several formats of raw bytes before it uses them as a key.
    return {
      key: createSecretKey(okm.subarray(0, keyBytes)),
      nonce: okm.subarray(keyBytes, keyBytes + 12),
    };
  }

  private subKey(keyId: string, label: string): KeyObject {
    const name = `${keyId}\n${label}`;
    const known = this.subKeys.get(name);
    if (known) return known;
    const master = this.keys.get(keyId) ?? this.dataKeys.get(keyId);
    if (!master) throw new UnopenableCiphertext('its key is not in the ring');
    const derived = hkdfSync('sha256', master.bytes, Buffer.alloc(0), label, keyBytes);
    const subKey = createSecretKey(Buffer.from(derived));
    this.subKeys.set(name, subKey);
    return subKey;
  }
}

/** A ciphertext that this ring cannot open: it is damaged or forged, or its key was dropped. */
export class UnopenableCiphertext extends Error {
  override readonly name = 'UnopenableCiphertext';
  constructor(why: string, options?: ErrorOptions) {
    super(`a ciphertext cannot be opened: ${why}`, options);
  }
}
