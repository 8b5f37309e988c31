import { parseQuery, type QueryParameter } from '#shared/signing';
import { type IncomingMessage } from 'node:http';
import { type FastifyRequest } from 'fastify';
import { ok, refuse, type Result } from '#domain/kernel';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body as sent. Its content is read only on demand, and so after authentication. */
export class RawBody {
  #json: ReadJson | undefined;

  /**
   * @param mediaType type and subtype, lower case, without parameters; undefined if none was sent or it is malformed
   */
  constructor(
    readonly bytes: Buffer,
    readonly mediaType: string | undefined,
  ) {}

  /**
   * Parses the body as JSON in UTF-8, once for all callers. A number that is not written as an integer becomes NaN,
   * because it may have been rounded: 25000.0000000000001 would be 25000.
   */
  json(): Result<unknown, 'not_json'> {
    return this.#read().json;
  }

  /**
   * Returns the name of a member that appears twice in one object of the JSON; undefined if none does, or if it is not
   * JSON.
   */
  repeatedMember(): string | undefined {
    const { json, text } = this.#read();
    return json.ok ? repeatedMember(text) : undefined;
  }

  #read(): ReadJson {
    return (this.#json ??= readJson(this.bytes));
  }

  /** Returns the parameters of a form (application/x-www-form-urlencoded), where a plus is a space. */
  form(): URLSearchParams {
    return new URLSearchParams(this.bytes.toString('utf8'));
  }
}

/** A query as sent, without its question mark. */
export class RawQuery {
  constructor(readonly raw: string) {}

  parameters(): Result<QueryParameter[], 'malformed_query'> {
    return parseQuery(this.raw);
  }
}

/** Returns the path as sent, with its percent-encodings. */
export function rawPath(request: FastifyRequest): string {
  return rawTarget(request).path;
}

/** Returns the query as sent, without its question mark; empty if there is none. */
export function rawQuery(request: FastifyRequest): string {
  return rawTarget(request).query;
}

/** Node keeps the first of these headers and drops the others, but a proxy may keep the last. */
const single: ReadonlySet<string> = new Set(['host', 'authorization']);

/** True if we and a proxy before us might read the request differently (AUTH-33). */
export function isAmbiguous({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  if (httpVersion === '1.1' && headers.host === undefined) return true;
  // HTTP/1.0 has no chunks: a proxy of that version reads the rest of the connection as the body.
  if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) return true;
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== 4 && name.length !== 13) continue;
    if (!single.has(name.toLowerCase())) continue;
    const mark = name.length === 4 ? 1 : 2;
    if ((seen & mark) !== 0) return true;
    seen |= mark;
  }
  return false;
}

const absoluteForm = /^https?:\/\/[^/?#]*/i;

/**
 * Returns the part of a request's target that the router and later code see. By RFC 9112 §3.2.2 a server must also
 * accept a whole URL; its path is what is signed, `/` if it has none. Any other target without a leading slash gets
 * one, so that it has no route. Otherwise the framework would answer it itself, before any hook of ours.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(absoluteForm, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Returns the path and query as sent. */
export function rawTarget(request: FastifyRequest): {
  readonly path: string;
  readonly query: string;
} {
  const target = originForm(request.raw.url ?? '');
  const mark = target.indexOf('?');
  return mark === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** ECMAScript's "JSON.parse source text access", which the compiler's library does not declare yet. */
type ParseWithSource = (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

const integer = /^-?[0-9]+$/;

function integersOnly(
  _name: string,
  value: unknown,
  { source = '' }: { readonly source?: string },
): unknown {
  return typeof value === 'number' && !integer.test(source) ? NaN : value;
}

interface ReadJson {
  readonly json: Result<unknown, 'not_json'>;
  /** Empty if it is not JSON. */
  readonly text: string;
}

const noJson: ReadJson = { json: refuse('not_json'), text: '' };

/** If the text has no match, each number is an integer and needs no second check. */
const fraction = /[0-9][.eE]/;

/** A byte order mark is not JSON, and neither is a byte that is not UTF-8. */
function readJson(bytes: Buffer): ReadJson {
  try {
    if (bytes[0] === 0xef) return noJson;
    const text = utf8.decode(bytes);
    const value: unknown = fraction.test(text)
      ? (JSON.parse as ParseWithSource)(text, integersOnly)
      : JSON.parse(text);
    return { json: ok(value), text };
  } catch {
    // The error's message would quote the body, which may contain a phone number.
    return noJson;
  }
}

const mediaTypePattern = /^\s*([!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:;.*)?$/;

/** @returns type and subtype of a Content-Type header, lower case; undefined if it names none */
export function mediaTypeOf(contentType: string | undefined): string | undefined {
  return contentType === undefined
    ? undefined
    : mediaTypePattern.exec(contentType.toLowerCase())?.[1];
}

/**
 * Matches strings as a whole, so that nothing inside one counts as structure, and the marks that open, close and name.
 */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/**
 * Returns the name of a member that appears twice in one object; undefined if none does. Parsing silently keeps the
 * last one, so only the text shows it.
 * @param text JSON that has been parsed
 */
export function repeatedMember(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = '';
  for (const [token] of text.matchAll(tokens)) {
    const names = open.at(-1);
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':' && names) {
      const name = JSON.parse(last) as string;
      if (names.has(name)) return name;
      names.add(name);
    }
    last = token;
  }
  return undefined;
}
