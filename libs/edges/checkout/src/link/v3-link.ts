import { type KeyObject } from 'node:crypto';
import { ok, type Result } from '#domain/kernel';
import { checkoutHashV3, constantTimeEqual, parseQuery } from '#shared/signing';
import { parseTypedPhone } from '../phone.js';
import { fault, type LinkFault, type V3Use } from './link-fault.js';
import { valuesOf, type Vocabulary } from './parameters.js';

/** In the order in which the hash covers their values (PAGE-2, frozen). */
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

/** The parameters of a V3 link, decoded, as its maker wrote them. */
export type V3Values = Readonly<Record<V3Name, string>>;

/**
 * All sixteen stand in a link, some of them empty. Others are none of ours: the hash does not cover them, and
 * messengers add their own to links that people share.
 */
const vocabulary: Vocabulary<V3Name> = {
  names: [...(hashed as readonly V3Name[]), 'hsh'],
  optional: new Set(),
  longest: { live: 1, vid: 64, oid: 64, curr: 3, hsh: 64, cbk: 2048 },
  closed: false,
};

/**
 * Reads a V3 link. Where a plus stands in it, it has two readings: that of an HTML form, where a plus is a space,
 * and the literal one. Its hash tells which one its maker meant.
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

/** The reading that the hash covers, compared in constant time; undefined where it covers none. */
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

/** What begins like digits of the amount, or like the rest of a number of which some went into it. */
const likeDigits = /^[\d\s().-]/;

/**
 * What a merchant may ask for: a link into or out of whose amount no digit can move under the same hash (PAGE-4).
 * What follows the amount is joined to it by nothing, as `inv` before it is, so there a whole number must stand, or
 * what begins like none: `ttl` 1000 and no `tel` would be `ttl` 1 and `tel` 000.
 */
export function isUnambiguous({ oid, inv, tel, eml }: V3Values): boolean {
  const before = inv === oid || /[^0-9]$/.test(inv);
  return before && (parseTypedPhone(tel) !== undefined || !likeDigits.test(tel + eml));
}

/** What a link whose hash verified says of its merchant's use of V3. */
export function v3UseOf(merchantId: string, values: V3Values): V3Use {
  return { merchantId, movable: !isUnambiguous(values) };
}
