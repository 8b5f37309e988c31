import { type Keyring, UnopenableCiphertext } from '#shared/signing';

const label = 'rail-bearer-token';
const sealedPattern = /^sealed:([A-Za-z0-9._-]{1,32}):([A-Za-z0-9+/]+=*)$/;

/** How the rail's bearer token stands where all instances share it. */
interface BearerSeal {
  seal(token: string): string;
  open(kept: string): string | undefined;
}

/**
 * Seals the rail's bearer token under MASTER_KEY: whoever has it can push in our name. A token that is not sealed is
 * taken as it is, so that instances of the release before, which keep it so, share it while they are replaced.
 */
export function bearerSeal(keyring: Keyring): BearerSeal {
  return {
    seal(token) {
      const { keyId, ciphertext } = keyring.seal(label, token);
      return `sealed:${keyId}:${ciphertext}`;
    },
    open(kept) {
      const match = sealedPattern.exec(kept);
      if (!match) return kept;
      const [, keyId = '', ciphertext = ''] = match;
      try {
        return keyring.open(label, { keyId, ciphertext }).toString('utf8');
      } catch (error) {
        if (error instanceof UnopenableCiphertext) return undefined;
        throw error;
      }
    },
  };
}
