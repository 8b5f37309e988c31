import { ok, refuse, type Result } from '#domain/kernel';

export type QueryParameter = readonly [name: string, value: string];

const ascii = /^[\x21-\x7e]*$/;

/**
 * Reads a raw query (without its question mark) as sent. A plus is a plus; a parameter without `=` has an
 * empty value; empty segments (`a=1&&b=2`) name nothing and are skipped.
 * @returns the parameters, decoded, in the order sent; `malformed_query` where a percent-encoding is broken,
 *   does not spell UTF-8, or a character stands there that a URL cannot hold
 */
export function parseQuery(rawQuery: string): Result<QueryParameter[], 'malformed_query'> {
  if (!ascii.test(rawQuery)) return refuse('malformed_query');
  const parameters: QueryParameter[] = [];
  try {
    for (const segment of rawQuery.split('&')) {
      if (segment === '') continue;
      const equals = segment.indexOf('=');
      const name = equals === -1 ? segment : segment.slice(0, equals);
      const value = equals === -1 ? '' : segment.slice(equals + 1);
      parameters.push([decodeURIComponent(name), decodeURIComponent(value)]);
    }
  } catch (error) {
    if (error instanceof URIError) return refuse('malformed_query');
    throw error;
  }
  return ok(parameters);
}

/**
 * The one spelling of a query that both ends sign: names and values encoded by RFC 3986, sorted by encoded
 * name, then by encoded value, joined as `name=value` with `&`; an empty text where there is no parameter.
 */
export function canonicalQuery(rawQuery: string): Result<string, 'malformed_query'> {
  if (rawQuery === '') return ok('');
  const parameters = parseQuery(rawQuery);
  if (!parameters.ok) return parameters;
  return ok(
    parameters.value
      .map(([name, value]) => [encodeRfc3986(name), encodeRfc3986(value)] as const)
      .sort(byNameThenValue)
      .map(([name, value]) => `${name}=${value}`)
      .join('&'),
  );
}

/** encodeURIComponent keeps five characters that RFC 3986 reserves. */
function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encoded text is ASCII, so the order of UTF-16 units is the order of bytes in every language. */
function byNameThenValue(left: QueryParameter, right: QueryParameter): number {
  return compare(left[0], right[0]) || compare(left[1], right[1]);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
