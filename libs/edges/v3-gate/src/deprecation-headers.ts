import { msFromInstant } from '#domain/kernel';
import { type CalendarDate, startOf, sunsetDate } from '#domain/v3-retirement';

/** The page that says how V3 ends and how to leave it (docs.controller.ts). */
export const leavingPath = '/docs/v3';
/** Where on it the dates stand. */
export const timetableAnchor = 'timetable';

/**
 * What every answer of V3 carries: since when it is deprecated (RFC 9745; a date to come is allowed), from when on
 * it may be gone (RFC 8594), and where a person reads what to do.
 */
export function deprecationHeaders(
  gaDate: CalendarDate,
  baseUrl: string,
): Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>> {
  const sunset = new Date(msFromInstant(startOf(sunsetDate(gaDate))));
  const page = `${baseUrl}${leavingPath}`;
  return {
    Deprecation: `@${msFromInstant(startOf(gaDate)) / 1000}`,
    // The one spelling that toUTCString has is IMF-fixdate's.
    Sunset: sunset.toUTCString(),
    Link: [
      `<${page}>; rel="deprecation"; type="text/html"`,
      `<${page}#${timetableAnchor}>; rel="sunset"; type="text/html"`,
    ].join(', '),
  };
}
