/** Runs the conformance suite's requests with the TypeScript client (clients/conformance/README.md). */
import { createInterface } from 'node:readline';
import {
  PesaPost,
  PesaPostError,
  type PesaPostOptions,
  verifyWebhook,
  WebhookVerificationError,
} from '#sdk';

type Json = Record<string, unknown>;
type Method = (...words: unknown[]) => unknown;

interface Request {
  readonly id: number;
  readonly op: string;
  readonly args: Json;
}

/** The client's modules that its package does not export. */
type Signing = typeof import('../../../../libs/sdk/src/signing/sign-request.js');
type Keys = typeof import('../../../../libs/sdk/src/signing/private-key.js');
type Queries = typeof import('../../../../libs/sdk/src/signing/canonical-query.js');
const built = (name: string) =>
  import(new URL(`../../../../dist/libs/sdk/src/signing/${name}.js`, import.meta.url).href);

const clients = new Map<unknown, PesaPost>();

const operations: Record<string, (args: Json) => unknown> = {
  client(args) {
    const { max, base_delay_ms, max_delay_ms } = (args['retries'] ?? {}) as Json;
    const retries = present({ max, baseDelayMs: base_delay_ms, maxDelayMs: max_delay_ms });
    const { now_ms } = args;
    const options = {
      baseUrl: args['base_url'],
      clientId: args['client_id'],
      clientSecret: args['client_secret'],
      privateKey: args['private_key_pem'],
      timeoutMs: args['timeout_ms'],
      retries,
      now: now_ms === undefined ? undefined : () => now_ms,
    };
    clients.set(args['client'], new PesaPost(present(options) as unknown as PesaPostOptions));
    return {};
  },

  call(args) {
    const [resource = '', method = ''] = String(args['method']).split('.').map(camelCase);
    const of = (clients.get(args['client']) as unknown as Record<string, Record<string, Method>>)[
      resource
    ];
    const options = present({
      idempotencyKey: args['idempotency_key'],
      minPosition: args['min_position'],
      atPosition: args['at_position'],
      timeoutMs: args['timeout_ms'],
    });
    const result = of?.[method]?.(...argumentsOf(args), options);
    return method === 'all' || method === 'pages'
      ? take(result as AsyncIterable<unknown>, args['take'])
      : result;
  },

  async sign(args) {
    const { stringToSign, sign } = (await built('sign-request')) as Signing;
    const { importPkcs8, readPkcs8Pem } = (await built('private-key')) as Keys;
    const { canonicalQuery } = (await built('canonical-query')) as Queries;
    const rawQuery = String(args['raw_query']);
    const text = await stringToSign({
      method: String(args['method']),
      rawPath: String(args['raw_path']),
      rawQuery,
      bodyBytes: Uint8Array.from(Buffer.from(String(args['body_base64']), 'base64')),
      nonce: String(args['nonce']),
      timestamp: String(args['timestamp']),
    });
    const key = await importPkcs8(readPkcs8Pem(String(args['private_key_pem'])));
    const canonical_query = canonicalQuery(rawQuery);
    return { canonical_query, string_to_sign: text, signature: await sign(key, text) };
  },

  verify_webhook(args) {
    const webhook = {
      payload: Buffer.from(String(args['payload_base64']), 'base64'),
      headers: args['headers'] as Record<string, string>,
      secrets: args['secrets'] as string[],
    };
    const { now_ms, tolerance_seconds } = args;
    return verifyWebhook({
      ...webhook,
      ...present({ now: now_ms, toleranceSeconds: tolerance_seconds }),
    });
  },
};

/** The feed's own parameters are a filter here. */
function argumentsOf(args: Json): unknown[] {
  const given = withBigints(args['arguments']) as unknown[];
  const [method, limit] = [String(args['method']), args['limit']];
  if (method.startsWith('events.')) return [present({ afterSequence: given[0], limit })];
  const takesRepeat = /^payout(s|_batches)\.(approve|reject)$|^transactions\./.test(method);
  return takesRepeat && !(given.at(-1) instanceof Object) ? [...given, {}] : given;
}

async function take(items: AsyncIterable<unknown>, most: unknown): Promise<unknown[]> {
  const taken: unknown[] = [];
  if (most === 0) return taken;
  for await (const item of items) {
    taken.push(item);
    if (taken.length === most) break;
  }
  return taken;
}

function present(options: Json): Json {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Makes the client's own amounts of the suite's digits. */
function withBigints(value: unknown): unknown {
  return mapped(value, (name, member) =>
    name.endsWith('_minor') && isDigits(member) ? BigInt(member) : withBigints(member),
  );
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d+$/.test(value);
}

/** Writes amounts as digits, if they are of the type that the client promises. */
function withDigits(value: unknown): unknown {
  const written = mapped(value, (_name, member) =>
    typeof member === 'bigint' ? member.toString() : withDigits(member),
  );
  if (typeof written !== 'object' || written === null || Array.isArray(written)) return written;
  const { ledgerPosition, ...others } = written as Json;
  return ledgerPosition === undefined ? others : { ...others, ledger_position: ledgerPosition };
}

function mapped(value: unknown, map: (name: string, member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => map('', member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, map(name, member)]),
  );
}

function failureOf(error: unknown): Json {
  if (error instanceof PesaPostError) {
    const { message, cause: _cause, ...facts } = error;
    const named = Object.entries(facts).map(([name, value]) => [snakeCase(name), value] as const);
    return { type: 'call', message: error.message, ...Object.fromEntries(named) };
  }
  if (error instanceof WebhookVerificationError) return { type: 'webhook', code: error.code };
  const isMistake =
    error instanceof TypeError || error instanceof RangeError || error instanceof URIError;
  return { type: isMistake ? 'mistake' : 'defect', message: String(error) };
}

async function answer(line: string): Promise<void> {
  const { id, op, args } = JSON.parse(line) as Request;
  let result: Json;
  try {
    result = { ok: withDigits(await operations[op]?.(args)) };
  } catch (error) {
    result = { error: withDigits(failureOf(error)) };
  }
  console.log(JSON.stringify({ id, ...result }));
}

for await (const line of createInterface({ input: process.stdin })) void answer(line);
