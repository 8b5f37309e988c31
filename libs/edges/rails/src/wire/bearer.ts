import { DependencyUnavailable } from '#domain/kernel';
import { DeadlineExceeded, withDeadline } from '#infra/runtime';
import { type Keyring, UnopenableCiphertext } from '#shared/signing';
import { parseObject, textOf } from './json.js';

/** The bearer token of one mode, shared by all processes. Each new token invalidates the one before. */
export interface TokenSource {
  /** @throws RailCredentialsRefused, DependencyUnavailable */
  get(): Promise<string>;
  /** Drops a token that the rail refused. */
  invalidate(token: string): Promise<void>;
}

/** Makes the shared source of a mode; `#infra/redis`' RailTokenCache takes just these options. */
export type MakeTokenSource = (options: {
  readonly name: string;
  readonly fetch: () => Promise<{ readonly token: string; readonly lifeMs: number }>;
  readonly fetchDeadlineMs: number;
}) => TokenSource;

/** The rail does not know our credentials, so no retry helps. */
export class RailCredentialsRefused extends Error {
  override readonly name = 'RailCredentialsRefused';
  constructor() {
    super('the rail refused our credentials');
  }
}

/** The token to call with, or the reason why there is none. Without a token nothing was sent. */
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

/**
 * Reads a rail's answer to the request for a token.
 * @param usualLifeSeconds the lifetime to assume if the rail does not say how long the token lasts
 * @throws DependencyUnavailable if it contains none
 */
export function tokenIn(
  answer: { readonly status: number; readonly body: string },
  usualLifeSeconds: number,
): { token: string; lifeMs: number } {
  const body = answer.status === 200 ? parseObject(answer.body) : undefined;
  const token = body && textOf(body, 'access_token');
  if (!body || token === undefined || !/^[\x21-\x7e]+$/.test(token))
    throw new DependencyUnavailable('rail', `no token, status ${answer.status}`);
  const life = textOf(body, 'expires_in') ?? '';
  const lifeSeconds = /^\d{1,6}$/.test(life) ? Number(life) : usualLifeSeconds;
  return { token, lifeMs: lifeSeconds * 1000 };
}

/**
 * Removes a token from the shared cache. If the cache cannot be reached, the token stays in it and is refused once
 * more.
 */
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

/** Seals and opens the rail's bearer token, as all instances share it. */
interface BearerSeal {
  seal(token: string): string;
  open(kept: string): string | undefined;
}

/**
 * Seals the rail's bearer token under MASTER_KEY, because anyone who has the token can push in our name. An unsealed
 * token is accepted as it is: instances of the previous release store it so, and share it while they are replaced.
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
