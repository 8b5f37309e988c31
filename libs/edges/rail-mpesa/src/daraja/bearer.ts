import { DependencyUnavailable } from '#domain/kernel';
import { DeadlineExceeded, withDeadline } from '#infra/runtime';
import { RailCredentialsRefused, type TokenSource } from './access-token.js';

/** The token to call with, or why there is none: nothing was sent in either case. */
export type Bearer =
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
