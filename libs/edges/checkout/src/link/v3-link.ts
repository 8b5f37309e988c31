import { type KeyObject } from 'node:crypto';
import { ok, type Result } from '#domain/kernel';
import { checkoutHashV3, constantTimeEqual, parseQuery } from '#shared/signing';
import { parseTypedPhone } from '../phone.js';
import { fault, type LinkFault, type V3Use } from './link-fault.js';
import { valuesOf, type Vocabulary } from './parameters.js';

/** In the order in which the hash covers the values (PAGE-2, frozen). */
const hashed = [
  ...['live', 'oid', 'inv', 'ttl', 'tel', 'eml', 'vid', 'curr'],
  ...['p1', 'p2', 'p3', 'p4', 'cbk', 'cst', 'crl'],
] as const satisfies readonly string[];

export type V3Name =
  | 'live'
  | 'oid'
  | 'inv'
  | 'ttl'
  | 'tel'
  | 'eml'
  | 'vid'
  | 'curr'
  | 'p1'
  | 'p2'
  | 'p3'
  | 'p4'
  | 'cbk'
  | 'cst'
  | 'crl'
  | 'hsh';

/** The parameters of a V3 link, decoded, as the merchant wrote them. */
export type V3Values = Readonly<Record<V3Name, string>>;

/**
 * A link has all sixteen, some of them empty. Other parameters are ignored: the hash does not cover them, and
 * messengers add their own to links that people share.
 */
const vocabulary: Vocabulary<V3Name> = {
  names: [...(hashed as readonly V3Name[]), 'hsh'],
  optional: new Set(),
  longest: { live: 1, vid: 64, oid: 64, curr: 3, hsh: 64, cbk: 2048 },
  closed: false,
};

/**
 * Reads a V3 link. If it contains a plus, it has two readings: that of an HTML form, where a plus is a space, and the
 * literal one. Its hash decides which one the merchant meant.
 * @returns one reading, or both
 */
export function readV3Link(rawQuery: string): Result<readonly V3Values[], LinkFault> {
  const spellings = rawQuery.includes('+')
    ? [rawQuery.replaceAll('+', '%20'), rawQuery]
    : [rawQuery];
  const readings: V3Values[] = [];
  for (const spelling of spellings) {
    const parameters = parseQuery(spelling);
    if (!parameters.ok) return fault('malformed_link', 'the query is not percent-encoded UTF-8');
    const values = valuesOf(parameters.value, vocabulary);
    if (!values.ok) return values;
    readings.push(values.value);
  }
  return ok(readings);
}

/** Returns the reading that the hash covers, compared in constant time; undefined if it covers none. */
export function verifiedReading(
  readings: readonly V3Values[],
  secret: KeyObject | string,
): V3Values | undefined {
  return readings.find((values) =>
    constantTimeEqual(
      checkoutHashV3(
        secret,
        (hashed as readonly V3Name[]).map((name) => values[name]),
      ),
      values.hsh,
    ),
  );
}

/**
 * Matches a start that looks like digits of the amount, or like the rest of a number whose first digits moved into it.
 */
const likeDigits = /^[\d\s().-]/;

/**
 * True if a merchant may ask for this link: no digit can move into or out of its amount under the same hash (PAGE-4).
 * The hash joins the amount to the values before and after it (`inv`, `tel`) without a separator. So the value after it
 * must be a whole phone number, or must not start like one: `ttl` 1000 and no `tel` would equal `ttl` 1 and `tel` 000.
 */
export function isUnambiguous({ oid, inv, tel, eml }: V3Values): boolean {
  const before = inv === oid || /[^0-9]$/.test(inv);
  return before && (parseTypedPhone(tel) !== undefined || !likeDigits.test(tel + eml));
}

/** Returns the merchant's use of V3 that a link with a verified hash shows. */
export function v3UseOf(merchantId: string, values: V3Values): V3Use {
  return { merchantId, movable: !isUnambiguous(values) };
}
