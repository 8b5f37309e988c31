import { isLanguage, preferredLanguage, rawQuery } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { type Place } from './page/document.js';

/** V3's own addresses of the page (PAGE-1); V4's links come to /checkout only. */
export const v3Routes = ['api/v3/checkout', 'v3/checkout'];

/** Returns the route's own spelling. The request's path may contain percent escapes. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? '';
}

/** Returns the place of the page that a request asks for. */
export function placeOf(request: FastifyRequest): Place {
  const [, path = '', language = ''] =
    /^(.*\/checkout)(?:\/([^/]*))?$/.exec(routeOf(request)) ?? [];
  return {
    path,
    rawQuery: rawQuery(request),
    language: isLanguage(language)
      ? language
      : preferredLanguage(request.headers['accept-language']),
  };
}

export function isV3Route({ path }: Place): boolean {
  return v3Routes.some((route) => path === `/${route}`);
}
