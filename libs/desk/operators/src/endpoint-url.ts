import { ok, refuse, type Result } from '#domain/kernel';
import { isPublicAddress, redactText } from '#infra/runtime';
import { isIP } from 'node:net';

/** A fault of an endpoint's URL. */
export type EndpointUrlWrong =
  | 'no_url'
  | 'not_https'
  | 'has_credentials'
  | 'has_fragment'
  | 'too_long'
  | 'has_phone'
  | 'not_public';

export const maxEndpointUrlLength = 2048;
/** Names that lead to this machine or stay inside a network (RFC 6761, 6762, 8375 and ICANN's `internal`). */
const privateName = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * Reads the URL of an endpoint. The address of its name is checked at each connection (WEB-12).
 * @param allowPrivate WEBHOOK_ALLOW_PRIVATE
 * @returns the URL in its normal form
 */
export function readEndpointUrl(
  text: string,
  allowPrivate: boolean,
): Result<string, EndpointUrlWrong> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return refuse('no_url');
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return refuse('not_https');
  // Events are permanent, so they contain no password and no customer's number.
  if (url.username !== '' || url.password !== '') return refuse('has_credentials');
  if (url.hash !== '' || text.includes('#')) return refuse('has_fragment');
  if (url.href.length > maxEndpointUrlLength) return refuse('too_long');
  if (redactText(url.href) !== url.href) return refuse('has_phone');
  if (!allowPrivate && isPrivate(url.hostname)) return refuse('not_public');
  return ok(url.href);
}

/** True for a private address, however it is written, and for a name that is private by itself. */
function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? privateName.test(host) : !isPublicAddress(host);
}
