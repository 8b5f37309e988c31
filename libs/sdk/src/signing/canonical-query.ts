export type QueryParameter = readonly [name: string, value: string];

/** Returns a query in the one spelling that both ends sign: encoded by RFC 3986, sorted, joined; no question mark. */
export function encodeQuery(parameters: readonly QueryParameter[]): string {
  return parameters
    .map(([name, value]) => [encodeRfc3986(name), encodeRfc3986(value)] as const)
    .sort(byNameThenValue)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/**
 * Returns the canonical spelling of a query as sent. A plus is a plus, a name without `=` has an empty value, and empty
 * segments are skipped.
 * @throws URIError if a percent-encoding is broken or is not UTF-8
 */
export function canonicalQuery(rawQuery: string): string {
  const segments = rawQuery.split('&').filter((segment) => segment !== '');
  return encodeQuery(segments.map(parameterOf));
}

function parameterOf(segment: string): QueryParameter {
  if (!/^[\x21-\x7e]*$/.test(segment))
    throw new URIError('a query holds a character that must be percent-encoded');
  const equals = segment.indexOf('=');
  if (equals === -1) return [decodeURIComponent(segment), ''];
  return [
    decodeURIComponent(segment.slice(0, equals)),
    decodeURIComponent(segment.slice(equals + 1)),
  ];
}

/** Encodes five more characters than encodeURIComponent, because RFC 3986 reserves them. */
function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encoded text is ASCII, so the order of UTF-16 units is the order of bytes. */
function byNameThenValue(left: QueryParameter, right: QueryParameter): number {
  return compare(left[0], right[0]) || compare(left[1], right[1]);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
