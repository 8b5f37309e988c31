/** One key of MASTER_KEY: 32 bytes under the id that every ciphertext and HMAC names. */
export interface MasterKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** `id:base64[,id:base64…]` → keys; the first encrypts, all decrypt. Never says the key in its complaint. */
export function parseMasterKeys(text: string): readonly MasterKey[] | { readonly problem: string } {
  const keys: MasterKey[] = [];
  for (const part of text.split(',')) {
    const colon = part.indexOf(':');
    const id = part.slice(0, Math.max(colon, 0)).trim();
    const base64 = part.slice(colon + 1).trim();
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(id))
      return { problem: 'each key is written id:base64, the id 1 to 32 letters, digits, - or _' };
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length !== 32 || bytes.toString('base64') !== base64)
      return { problem: `key "${id}" must be the base64 of exactly 32 bytes` };
    if (keys.some((key) => key.id === id)) return { problem: `the id "${id}" is there twice` };
    keys.push({ id, bytes });
  }
  return keys;
}
