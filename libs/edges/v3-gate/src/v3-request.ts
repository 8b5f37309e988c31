import { rawPath, rawQuery } from '#shared/http';
import { parseQuery } from '#shared/signing';
import { type FastifyRequest } from 'fastify';

/** What is called, as the counters name it: a closed list, so that an untrusted sender cannot choose what is kept. */
export type V3Route = 'balance' | 'collect' | 'checkout' | 'other';

const prefix = /^\/(?:api\/)?v3(?:\/|$)/;
const checkoutPrefix = /^\/checkout(?:\/|$)/;

const routes: readonly (readonly [RegExp, V3Route])[] = [
  [/^\/(?:api\/)?v3\/account\/balance\//, 'balance'],
  [/^\/(?:api\/)?v3\/collect\/mpesa$/, 'collect'],
  [/^\/(?:api\/v3\/|v3\/)?checkout(?:\/|$)/, 'checkout'],
];

/**
 * Which route of V3 the request is for; undefined where it is not V3's. A checkout link is V3's by its parameter
 * `hsh`, whatever its path; V4's links have `hash`.
 */
export function v3RouteOf(request: FastifyRequest): V3Route | undefined {
  const path = decoded(rawPath(request));
  // Also by what the router made of it, so that no spelling of a path passes by.
  const pattern = request.routeOptions.url ?? '';
  const isV3 = prefix.test(path) || prefix.test(pattern);
  if (!isV3 && !(isCheckout(path, pattern) && hasSha1Hash(rawQuery(request)))) return undefined;
  return routes.find(([matches]) => matches.test(path))?.[1] ?? 'other';
}

function isCheckout(path: string, pattern: string): boolean {
  return checkoutPrefix.test(path) || checkoutPrefix.test(pattern);
}

/** By the parameter's decoded name: a link whose name is written in percents is the same link. */
function hasSha1Hash(query: string): boolean {
  const parameters = parseQuery(query);
  return parameters.ok
    ? parameters.value.some(([name]) => name === 'hsh')
    : /(?:^|&)hsh=/.test(query);
}

/** The router matches decoded paths; one that cannot be decoded has no route, and says by itself what it wants. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
