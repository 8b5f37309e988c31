import { type Instant } from '#domain/kernel';
import { rulesAt, usageWindowDays } from '#domain/v3-retirement';
import { daysBefore } from '#infra/runtime';
import { dayOf, daysUpTo } from './days.js';
import { type MovingMerchant, type OriginDay } from './query.js';

/** Used instead of a merchant: a caller that did not authenticate. Such calls are no merchant's use of V3. */
export const unknownV3Caller = '';
/** Used instead of a merchant: some merchant whose calls a replica could not count separately. */
export const unattributedV3Caller = '*';

/** A merchant's calls on one route on one day (YYYY-MM-DD, UTC). */
export interface V3Calls {
  readonly day: string;
  readonly merchantId: string;
  readonly route: string;
  readonly calls: number;
}

/** A merchant's SHA-1 checkout links on one day. */
export interface V3CheckoutLinks {
  readonly day: string;
  readonly merchantId: string;
  readonly links: number;
  /** The number of those whose digits can move into or out of `ttl` under the same hash. */
  readonly movable: number;
}

/** A merchant's collections through V3, on one day, whose reference contains the customer's number. */
export interface V3PhoneReferences {
  readonly day: string;
  readonly merchantId: string;
  readonly collections: number;
}

/** The number of days for which readiness is shown. */
const readinessDays = 90;

/** A step of the migration guide that a merchant still has to take. */
export type MissingToMove =
  | 'v4_credential_not_issued'
  | 'v4_not_in_use'
  | 'checkout_key_not_issued'
  | 'sha1_links_still_used'
  | 'v3_still_called';

export interface MerchantReadiness {
  readonly merchantId: string;
  readonly name: string;
  readonly v3Credentials: number;
  readonly v4: {
    readonly state: 'none' | 'issued' | 'in_use';
    readonly lastDay: string | undefined;
  };
  readonly checkoutKeys: number;
  /** V3 calls by route and day, of 90 days. */
  readonly calls: readonly V3Calls[];
  readonly callsInWindow: number;
  readonly lastCallDay: string | undefined;
  /** V3 calls by route, of 30 days. */
  readonly routes: Readonly<Record<string, number>>;
  readonly links: {
    readonly days: readonly V3CheckoutLinks[];
    readonly inWindow: number;
    /** The number of those whose digits can move into or out of ttl. */
    readonly movableInWindow: number;
    /** From month 9 on, true if any was seen. */
    readonly flagged: boolean;
  };
  /** New V3 collections of 30 days whose reference contains the customer's number, which V4 refuses. */
  readonly phoneReferencesInWindow: number;
  /** Collections through V4 by day. */
  readonly v4Collections: readonly OriginDay[];
  readonly missing: readonly MissingToMove[];
}

export interface Readiness {
  readonly now: Instant;
  readonly gaDate: string;
  /** The 90 days, oldest first, today last. */
  readonly days: readonly string[];
  /** The days of them that were not counted. */
  readonly uncountedDays: readonly string[];
  readonly merchants: readonly MerchantReadiness[];
  /** Calls of 30 days without authentication. */
  readonly unknownCalls: number;
  /** Calls of 30 days by merchants that a replica could not count separately. */
  readonly unattributedCalls: number;
}

/** The counts since the first of the 90 days, oldest first, and the merchants that they may be about. */
export interface V3Counted {
  readonly calls: readonly V3Calls[];
  readonly links: readonly V3CheckoutLinks[];
  readonly phoneReferences: readonly V3PhoneReferences[];
  readonly origins: readonly OriginDay[];
  /** Days on which a replica counted. */
  readonly countedDays: readonly string[];
  readonly moving: readonly MovingMerchant[];
}

/** The days for which readiness is shown, oldest first, today last. */
export function readinessDaysUpTo(now: Instant): readonly string[] {
  return daysUpTo(dayOf(now), readinessDays);
}

/** The progress of merchants from V3 to V4. */
export function readinessFrom(
  { calls, links, phoneReferences, origins, countedDays, moving }: V3Counted,
  { now, gaDate }: { readonly now: Instant; readonly gaDate: string },
): Readiness {
  const days = readinessDaysUpTo(now);
  const counted = new Set(countedDays);
  const windowFrom = daysBefore(dayOf(now), usageWindowDays);
  const flagging = rulesAt(gaDate, now).includes('flag_sha1_links');
  const callsOf = (caller: string): number =>
    sum(calls.filter((row) => row.merchantId === caller && row.day >= windowFrom));
  return {
    now,
    gaDate,
    days,
    uncountedDays: days.filter((day) => !counted.has(day)),
    merchants: moving.map((merchant) => {
      const own = <Row extends { readonly merchantId: string }>(rows: readonly Row[]): Row[] =>
        rows.filter((row) => row.merchantId === merchant.merchantId);
      const seen = {
        calls: own(calls),
        links: own(links),
        phoneReferences: own(phoneReferences),
        origins: own(origins),
      };
      return readinessOfMerchant(merchant, seen, { windowFrom, flagging });
    }),
    unknownCalls: callsOf(unknownV3Caller),
    unattributedCalls: callsOf(unattributedV3Caller),
  };
}

interface Seen {
  readonly calls: readonly V3Calls[];
  readonly links: readonly V3CheckoutLinks[];
  readonly phoneReferences: readonly V3PhoneReferences[];
  readonly origins: readonly OriginDay[];
}

function readinessOfMerchant(
  merchant: MovingMerchant,
  { calls, links, phoneReferences, origins }: Seen,
  { windowFrom, flagging }: { readonly windowFrom: string; readonly flagging: boolean },
): MerchantReadiness {
  const recent = calls.filter(({ day }) => day >= windowFrom);
  const recentLinks = links.filter(({ day }) => day >= windowFrom);
  const { merchantId, name, v3Credentials, v4Credentials, checkoutKeys, lastV4Day } = merchant;
  const inWindow = recentLinks.reduce((total, row) => total + row.links, 0);
  const isUsed = lastV4Day !== undefined && lastV4Day >= windowFrom;
  const state = v4Credentials === 0 ? 'none' : isUsed ? 'in_use' : 'issued';
  const routes: Record<string, number> = {};
  for (const row of recent) routes[row.route] = (routes[row.route] ?? 0) + row.calls;
  return {
    merchantId,
    name,
    v3Credentials,
    v4: { state, lastDay: lastV4Day },
    checkoutKeys,
    calls,
    callsInWindow: sum(recent),
    lastCallDay: calls.at(-1)?.day,
    routes,
    links: {
      days: links,
      inWindow,
      movableInWindow: recentLinks.reduce((total, row) => total + row.movable, 0),
      flagged: flagging && inWindow > 0,
    },
    phoneReferencesInWindow: phoneReferences
      .filter(({ day }) => day >= windowFrom)
      .reduce((total, { collections }) => total + collections, 0),
    v4Collections: origins.filter(({ origin }) => origin === 'v4'),
    missing: [
      ...(state === 'none' ? ['v4_credential_not_issued' as const] : []),
      ...(state === 'issued' ? ['v4_not_in_use' as const] : []),
      ...(inWindow > 0 && checkoutKeys === 0 ? ['checkout_key_not_issued' as const] : []),
      ...(inWindow > 0 ? ['sha1_links_still_used' as const] : []),
      ...(sum(recent) > 0 ? ['v3_still_called' as const] : []),
    ],
  };
}

function sum(rows: readonly V3Calls[]): number {
  return rows.reduce((total, row) => total + row.calls, 0);
}
