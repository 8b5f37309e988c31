import { parseQuery, type QueryParameter } from '#shared/signing';
import { type IncomingMessage } from 'node:http';
import { type FastifyRequest } from 'fastify';
import { ok, refuse, type Result } from '#domain/kernel';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body as sent; what it says is read only when somebody asks, so after authentication. */
export class RawBody {
  #json: ReadJson | undefined;

  /** @param mediaType type and subtype, lower case, without parameters; undefined where none was sent or it is malformed */
  constructor(
    readonly bytes: Buffer,
    readonly mediaType: string | undefined,
  ) {}

  /**
   * The JSON that the body spells in UTF-8; parsed once, whoever asks. A number that is not written as an
   * integer is NaN, for it may have been rounded: 25000.0000000000001 would be 25000.
   */
  json(): Result<unknown, 'not_json'> {
    return this.#read().json;
  }

  /** The name of a member that stands twice in one object of the JSON; undefined where none does, or it is none. */
  repeatedMember(): string | undefined {
    const { json, text } = this.#read();
    return json.ok ? repeatedMember(text) : undefined;
  }

  #read(): ReadJson {
    return (this.#json ??= readJson(this.bytes));
  }

  /** The parameters of a form (application/x-www-form-urlencoded), where a plus is a space. */
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

/** The path as sent, percent-encodings untouched. */
export function rawPath(request: FastifyRequest): string {
  return rawTarget(request).path;
}

/** The query as sent, without its question mark; empty where there is none. */
export function rawQuery(request: FastifyRequest): string {
  return rawTarget(request).query;
}

/** Node keeps the first of these and drops the others, and a proxy may keep the last. */
const single: ReadonlySet<string> = new Set(['host', 'authorization']);

/** True for a request that we and a proxy in front might read in two ways (AUTH-33). */
export function isAmbiguous({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  if (httpVersion === '1.1' && headers.host === undefined) return true;
  // HTTP/1.0 knows no chunks: a proxy of that version takes the rest of the connection for the body.
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
 * What the router and everybody behind it are to see of a request's target. RFC 9112 §3.2.2: a server must take a whole
 * URL, too; what is signed is its path, `/` where it has none. Whatever else begins with no slash gets one, and so no
 * route: the framework would answer it by itself, before any hook of ours.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(absoluteForm, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Path and query as sent, for who needs both. */
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

/** ECMAScript's "JSON.parse source text access", which the compiler's library does not know yet. */
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
  /** Empty where it is none. */
  readonly text: string;
}

const noJson: ReadJson = { json: refuse('not_json'), text: '' };

/** Where it stands nowhere, each number is an integer and needs no second look. */
const fraction = /[0-9][.eE]/;

/** A byte order mark is no JSON, and neither is a byte that UTF-8 does not know. */
function readJson(bytes: Buffer): ReadJson {
  try {
    if (bytes[0] === 0xef) return noJson;
    const text = utf8.decode(bytes);
    const value: unknown = fraction.test(text)
      ? (JSON.parse as ParseWithSource)(text, integersOnly)
      : JSON.parse(text);
    return { json: ok(value), text };
  } catch {
    // The message would quote the body, which may hold a phone number.
    return noJson;
  }
}

const mediaTypePattern = /^\s*([!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:;.*)?$/;

/** @returns type and subtype of a Content-Type header, lower case; undefined where it names none */
export function mediaTypeOf(contentType: string | undefined): string | undefined {
  return contentType === undefined
    ? undefined
    : mediaTypePattern.exec(contentType.toLowerCase())?.[1];
}

/** Strings whole, so that nothing inside one is taken for structure; and what opens, closes and names. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/**
 * The name of a member that stands twice in one object; undefined where none does. Parsing keeps the last one and
 * says nothing, so only the text tells.
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
