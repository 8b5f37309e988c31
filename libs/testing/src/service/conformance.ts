import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenApiDocument } from '#edges/api-docs';
import { packageDirectory } from '#infra/runtime';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A request's line and its answer. */
export interface Exchange {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: unknown;
}

interface Promised {
  /** The place of the answer in the document, as a JSON pointer. */
  readonly pointer: string;
  readonly headers: Readonly<
    Record<string, { readonly required?: boolean; readonly schema?: object }>
  >;
}

/** Headers that HTTP itself needs; an API's document does not name them. */
const transportHeaders = new Set(
  'connection content-length content-type date keep-alive transfer-encoding strict-transport-security'.split(
    ' ',
  ),
);

let loaded: { readonly document: OpenApiDocument; readonly ajv: Ajv2020 } | undefined;
const compiled = new Map<string, ValidateFunction>();

/**
 * Compares an answer with openapi.json: status, every header and the whole body. In the document, objects are open for
 * later additions. Here they are closed, so that additions are documented.
 * @throws Error that names the difference
 */
export function assertConforms(exchange: Exchange): void {
  const { document } = load();
  const promised = promisedFor(document, exchange);
  const faults = promised
    ? [...headerFaults(promised, exchange.headers), ...bodyFaults(promised, exchange.body)]
    : ['the document does not name this status'];
  if (faults.length === 0) return;
  throw new Error(
    `${exchange.method} ${exchange.url} → ${exchange.status} is not what openapi.json says: ` +
      `${faults.join('; ')}\n${JSON.stringify(exchange.body)}`,
  );
}

function load(): NonNullable<typeof loaded> {
  if (loaded) return loaded;
  const text = readFileSync(join(packageDirectory(), 'openapi.json'), 'utf8');
  const closed = JSON.parse(text, (_key, value: unknown) => close(value)) as OpenApiDocument;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(closed, 'openapi');
  return (loaded = { document: closed, ajv });
}

function close(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'properties' in value && 'required' in value
    ? { ...value, additionalProperties: false }
    : value;
}

/** Undefined if the document has no such answer. */
function promisedFor(document: OpenApiDocument, exchange: Exchange): Promised | undefined {
  const [path = ''] = exchange.url.split('?');
  const template = Object.keys(document.paths).find((candidate) => matches(candidate, path));
  const method = exchange.method.toLowerCase();
  const operation = template === undefined ? undefined : document.paths[template]?.[method];
  const at = operation
    ? ['paths', template ?? '', method, 'responses', String(exchange.status)]
    : ['x-unrouted-responses', unroutedName(exchange.status, template) ?? ''];
  const responses: OpenApiDocument['paths'][string][string]['responses'] =
    operation?.responses ?? document['x-unrouted-responses'];
  const response = responses[at.at(-1) ?? ''];
  if (!response) return undefined;
  const headers = Object.entries(response.headers).map(([name, header]) => [
    name.toLowerCase(),
    '$ref' in header ? document.components.headers[name] : header,
  ]);
  return { pointer: pointer(at), headers: Object.fromEntries(headers) as Promised['headers'] };
}

/**
 * The name of an answer that belongs to no operation. A path that looks like a known one may still have no route: `%zz`
 * is no segment.
 */
function unroutedName(status: number, template: string | undefined): string | undefined {
  if (status === 400) return 'BadRequest';
  if (status === 404) return 'NotFound';
  return status === 405 && template !== undefined ? 'MethodNotAllowed' : undefined;
}

function matches(template: string, path: string): boolean {
  const segments = template.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : part));
  return new RegExp(`^${segments.join('/').replaceAll('.', '\\.')}$`).test(path);
}

function headerFaults({ headers: promised }: Promised, sent: Exchange['headers']): string[] {
  const missing = Object.entries(promised)
    .filter(([name, { required }]) => required === true && !sent.has(name))
    .map(([name]) => `no header ${name}`);
  const wrong = [...sent]
    .filter(([name]) => !transportHeaders.has(name))
    .flatMap(([name, value]) => {
      const schema = promised[name]?.schema;
      if (!schema) return [`the document does not name the header ${name}`];
      // Annotated, because TypeScript would narrow the text by ajv's predicate.
      const conforms: boolean = validator(JSON.stringify(schema), schema)(value);
      return conforms ? [] : [`${name}: ${value}`];
    });
  return [...missing, ...wrong];
}

function bodyFaults({ pointer: at }: Promised, body: unknown): string[] {
  const $ref = `openapi#${at}/content/application~1json/schema`;
  const validate = validator($ref, { $ref });
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = '' }) => `body${instancePath} ${message}`,
  );
}

function validator(key: string, schema: object): ValidateFunction {
  const known = compiled.get(key);
  if (known) return known;
  const made = load().ajv.compile(schema);
  compiled.set(key, made);
  return made;
}

/** RFC 6901, in a URI's fragment. */
function pointer(segments: readonly string[]): string {
  return segments
    .map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}
