import { type FastifyRequest } from 'fastify';

/**
 * Whether a form came from a page of ours. Browsers say so themselves (Fetch Metadata); one that does not names the
 * origin, or `null`, since our pages send no referrer: then the form's token alone decides.
 * @param origin PORTAL_URL's
 */
export function isFromHere({ headers }: FastifyRequest, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin: named } = headers;
  return named === undefined || named === 'null' || named === origin;
}

/** What is longer is no address of ours. */
const maxLength = 1000;
/** A target as browsers send it; a backslash is a slash to them. */
const target = /^\/portal(?:[/?][\x21-\x5b\x5d-\x7e]*)?$/;
/** Who came from there would be sent around in a circle. */
const signing = /^\/portal\/(?:sign-in|sign-out|signed-out|callback)(?:\/|$)/;

/** Where a person goes after signing in: the page of ours that they asked for, else the first one. */
export function wayBack(asked: string | null | undefined): string {
  const first = '/portal';
  if (typeof asked !== 'string' || asked.length > maxLength || !target.test(asked)) return first;
  const here = 'http://localhost';
  if (!URL.canParse(asked, here)) return first;
  const { origin, pathname, search } = new URL(asked, here);
  const isOurs = origin === here && (pathname === first || pathname.startsWith(`${first}/`));
  return isOurs && !signing.test(pathname) ? `${pathname}${search}` : first;
}
