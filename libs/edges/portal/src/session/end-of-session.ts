import { Logger } from '@nestjs/common';

/** Time for each question about a sign-out. The person waits for the page, and their session has ended already. */
const askedWithinMs = 2000;

const log = new Logger('portal');

/**
 * True if the provider still publishes the key that signed an identity token. A provider refuses a hint whose key is
 * gone, with a page that leaves the person signed in there. Without the hint it asks them to confirm.
 * @param keys `jwks_uri`
 */
export async function isKeyPublished(keys: string | undefined, idToken: string): Promise<boolean> {
  const kid = keyIdOf(idToken);
  const response = keys === undefined ? undefined : await ask(keys);
  const body: unknown = await response?.json().catch(() => undefined);
  const { keys: published } = (body ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(published)) return false;
  return published.some((key: { readonly kid?: unknown }) => key.kid === kid);
}

/** The `kid` of the token's header; undefined if it has none. */
function keyIdOf(idToken: string): unknown {
  const [header = ''] = idToken.split('.');
  try {
    const read = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid?: unknown };
    return read.kid;
  } catch {
    return undefined;
  }
}

/**
 * True unless the provider refuses the address to which it should lead after a sign-out. It is asked without a hint and
 * without cookies, so that nothing ends.
 * @param endpoint `end_session_endpoint`
 */
export async function isWayBackRegistered(
  endpoint: string,
  { clientId, wayBack }: { readonly clientId: string; readonly wayBack: string },
): Promise<boolean> {
  const url = new URL(endpoint);
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('post_logout_redirect_uri', wayBack);
  const { status = 0 } = (await ask(url.href)) ?? {};
  const isRefused = status >= 400 && status < 500;
  if (isRefused)
    log.warn({
      msg: 'the identity provider refuses the address after a sign-out: register it',
      address: wayBack,
      status,
    });
  return !isRefused;
}

function ask(url: string): Promise<Response | undefined> {
  const signal = AbortSignal.timeout(askedWithinMs);
  return fetch(url, { signal, redirect: 'manual' }).catch(() => undefined);
}
