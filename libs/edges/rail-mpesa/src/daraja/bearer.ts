import { DependencyUnavailable } from '#domain/kernel';
import { DeadlineExceeded, withDeadline } from '#infra/runtime';
import { type Keyring, UnopenableCiphertext } from '#shared/signing';
import { RailCredentialsRefused, type TokenSource } from './access-token.js';

/** The token to call with, or why there is none: nothing was sent in either case. */
type Bearer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'refused' };

export async function bearer(tokens: TokenSource, withinMs: number): Promise<Bearer> {
  try {
    return { kind: 'token', token: await withDeadline(tokens.get(), withinMs, 'no rail token') };
  } catch (error) {
    if (error instanceof RailCredentialsRefused) return { kind: 'refused' };
    if (error instanceof DependencyUnavailable || error instanceof DeadlineExceeded)
      return { kind: 'unavailable' };
    throw error;
  }
}

/** Where the shared cache cannot be reached, the token stays in it and is refused once more. */
export async function forget(tokens: TokenSource, token: string): Promise<void> {
  try {
    await tokens.invalidate(token);
  } catch (error) {
    if (!(error instanceof DependencyUnavailable)) throw error;
  }
}

export function headersWith(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}

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
