import { createHmac, type KeyObject } from 'node:crypto';
import { ok, type Result } from '#domain/kernel';
import { canonicalQuery } from './request-signature.js';

/** The parameter with the hash, in a V4 link and in a result. The hash does not cover it. */
const hashParameter = /^hash(?:=|$)/;

/** Prefix of the text that a result's hash covers, so that no link's hash is ever a result's. */
const resultLabel = 'checkout-result\n';

/**
 * Returns the hash of V3 checkout links and results (PAGE-2, frozen): lower-case hex HMAC-SHA1 over the values, in the
 * given order, without separators.
 */
export function checkoutHashV3(secret: KeyObject | string, values: readonly string[]): string {
  return createHmac('sha1', secret).update(values.join(''), 'utf8').digest('hex');
}

/**
 * Returns the hash of a V4 checkout link: lower-case hex HMAC-SHA256 over its canonical query without `hash`.
 * @param rawQuery as sent, without its question mark; a `hash` in it is left out
 */
export function checkoutHashV4(
  secret: KeyObject | string,
  rawQuery: string,
): Result<string, 'malformed_query'> {
  return hashOver(secret, '', rawQuery);
}

/**
 * Returns the hash of the result with which a customer returns from a V4 link: the same, over `checkout-result`, one LF
 * and the canonical query of the whole return address without `hash`.
 */
export function checkoutResultHashV4(
  secret: KeyObject | string,
  rawQuery: string,
): Result<string, 'malformed_query'> {
  return hashOver(secret, resultLabel, rawQuery);
}

function hashOver(
  secret: KeyObject | string,
  label: string,
  rawQuery: string,
): Result<string, 'malformed_query'> {
  const canonical = canonicalQuery(rawQuery);
  if (!canonical.ok) return canonical;
  const covered = canonical.value.split('&').filter((part) => !hashParameter.test(part));
  return ok(
    createHmac('sha256', secret)
      .update(label + covered.join('&'), 'utf8')
      .digest('hex'),
  );
}
