/** Encrypts master keys with a key that never leaves it. The id of the master key is bound to the ciphertext. */
export interface KeyService {
  /** @returns the 32 bytes of the master key */
  decrypt(blob: Uint8Array, id: string): Promise<Uint8Array>;
  /** @param bytes the master key; if undefined, the service makes one */
  encrypt(kmsKey: string, id: string, bytes?: Uint8Array): Promise<Uint8Array>;
}
