import { type KeyObject } from 'node:crypto';
import { ok, type Result } from '#domain/kernel';
import { checkoutHashV4, constantTimeEqual, parseQuery } from '#shared/signing';
import { fault, type LinkFault } from './link-fault.js';
import { valuesOf, type Vocabulary } from './parameters.js';

type V4Name =
  | 'account_no'
  | 'amount_minor'
  | 'currency'
  | 'reference'
  | 'phone'
  | 'return_url'
  | 'key_id'
  | 'nonce'
  | 'timestamp'
  | 'hash';

/** The parameters of a V4 link, decoded. */
export type V4Values = Readonly<Record<V4Name, string>>;

const vocabulary: Vocabulary<V4Name> = {
  names: [
    ...(['account_no', 'amount_minor', 'currency', 'reference', 'phone'] as const),
    ...(['return_url', 'key_id', 'nonce', 'timestamp', 'hash'] as const),
  ],
  optional: new Set(['phone']),
  longest: { return_url: 2048 },
  // The hash covers the whole query, so a link with added parameters would not verify anyway.
  closed: true,
};

export function readV4Link(rawQuery: string): Result<V4Values, LinkFault> {
  const parameters = parseQuery(rawQuery);
  if (!parameters.ok) return fault('malformed_link', 'the query is not percent-encoded UTF-8');
  return valuesOf(parameters.value, vocabulary);
}

/** True if the secret's owner made the link; compared in constant time. */
export function isHashOf(
  rawQuery: string,
  { hash }: V4Values,
  secret: KeyObject | string,
): boolean {
  const expected = checkoutHashV4(secret, rawQuery);
  return expected.ok && constantTimeEqual(expected.value, hash);
}

/** How long after its timestamp a link is valid (PAGE-8). */
export const linkLifeMs = 15 * 60_000;

/** How far the merchant's clock may be ahead of ours, as with every V4 request. */
export const clockToleranceMs = 300_000;

const timestampPattern = /^[0-9]{1,12}$/;
const noncePattern = /^[A-Za-z0-9_-]{16,64}$/;

/**
 * Returns the time at which the link ends, or the fault if it is not valid yet or has no time. A link that has ended is
 * no fault here.
 */
export function linkEnd({ timestamp, nonce }: V4Values, nowMs: number): Result<number, LinkFault> {
  if (!timestampPattern.test(timestamp))
    return fault('malformed_link', 'timestamp is not in Unix seconds');
  if (!noncePattern.test(nonce))
    return fault('malformed_link', 'nonce is not 16 to 64 letters, digits, _ and -');
  const madeAtMs = Number(timestamp) * 1000;
  if (madeAtMs - nowMs > clockToleranceMs) return fault('early_link');
  return ok(madeAtMs + linkLifeMs);
}
