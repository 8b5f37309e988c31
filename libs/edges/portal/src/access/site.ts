import { type FastifyRequest } from 'fastify';

/**
 * True if a form came from one of our pages. Browsers say so themselves (Fetch Metadata). A browser that does not names
 * the origin, or `null` because our pages send no referrer: then the form's token alone decides.
 * @param origin PORTAL_URL's
 */
export function isFromHere({ headers }: FastifyRequest, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin: named } = headers;
  return named === undefined || named === 'null' || named === origin;
}

/** None of our addresses is longer. */
const maxLength = 1000;
/** A target as browsers send it, without backslashes: browsers read a backslash as a slash. */
const target = /^\/portal(?:[/?][\x21-\x5b\x5d-\x7e]*)?$/;
/** Pages of the sign-in itself: a way back to one of them would send the person around in a circle. */
const signing = /^\/portal\/(?:sign-in|sign-out|signed-out|callback)(?:\/|$)/;

/** The page to show after signing in: the portal's page that the person asked for, or else the first one. */
export function wayBack(asked: string | null | undefined): string {
  const first = '/portal';
  if (typeof asked !== 'string' || asked.length > maxLength || !target.test(asked)) return first;
  const here = 'http://localhost';
  if (!URL.canParse(asked, here)) return first;
  const { origin, pathname, search } = new URL(asked, here);
  const isOurs = origin === here && (pathname === first || pathname.startsWith(`${first}/`));
  return isOurs && !signing.test(pathname) ? `${pathname}${search}` : first;
}
