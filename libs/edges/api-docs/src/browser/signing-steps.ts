/**
 * Runs in the reader's browser, and in Node for its spec. It uses only the web platform and sends nothing anywhere. It
 * is written separately from `#shared/signing`, so that each finds the other's mistakes. Both keep to the test vectors.
 */

/** The request that a signature covers, as the reader typed it. */
export interface SigningInput {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly body: string;
  readonly nonce: string;
  readonly timestamp: string;
}

export interface SigningSteps {
  readonly canonicalQuery: string;
  /** SHA-256 of the body, lower-case hex. */
  readonly bodyDigest: string;
  readonly stringToSign: string;
  readonly bytes: number;
  /** SHA-256 of the string to sign. A client with the same digest has the same bytes. */
  readonly stringDigest: string;
  /** Shell commands that make the same string and sign it. */
  readonly commands: string;
}

/** @throws URIError if the query's percent-encoding is broken */
export async function signingSteps(input: SigningInput): Promise<SigningSteps> {
  const canonical = canonicalQuery(input.query);
  const bodyDigest = await sha256(input.body);
  const lines = [input.method, input.path, canonical, bodyDigest, input.nonce, input.timestamp];
  const stringToSign = lines.join('\n');
  return {
    canonicalQuery: canonical,
    bodyDigest,
    stringToSign,
    bytes: new TextEncoder().encode(stringToSign).length,
    stringDigest: await sha256(stringToSign),
    commands: commandsFor(input, canonical),
  };
}

function canonicalQuery(query: string): string {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      const [name, value] =
        equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
      return [reencode(name), reencode(value)] as const;
    })
    .sort(([name, value], [otherName, otherValue]) =>
      name === otherName ? order(value, otherValue) : order(name, otherName),
    )
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function order(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Percent-encodes the text again. A plus is a plus: only %20 is a space. */
function reencode(text: string): string {
  return encodeURIComponent(decodeURIComponent(text)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function commandsFor(input: SigningInput, canonical: string): string {
  const { method, path, body, nonce, timestamp } = input;
  const fields = [method, path, canonical].map(quoted).join(' ');
  return [
    `digest=$(printf %s ${quoted(body)} | openssl dgst -sha256 -r)`,
    `printf '%s\\n%s\\n%s\\n%s\\n%s\\n%s' ${fields} "\${digest%% *}" ${quoted(nonce)} ${quoted(timestamp)} > string-to-sign`,
    'openssl dgst -sha256 -sign merchant.key string-to-sign | openssl base64 -A',
  ].join('\n');
}

/** Quotes the text as one word of a POSIX shell. */
function quoted(text: string): string {
  return /^[A-Za-z0-9_./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
