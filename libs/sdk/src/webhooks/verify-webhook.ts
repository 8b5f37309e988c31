import { type Transaction } from '../types.js';
import { type Bytes, concat, fromHex, utf8 } from '../bytes.js';
import { parseJson } from '../json.js';

/** The current kinds. Answer others with 2xx and ignore them. */
export type WebhookEventType =
  | 'collection.completed'
  | 'collection.failed'
  | 'payout.completed'
  | 'payout.failed'
  | 'payout.rejected';

/** The body of a webhook. */
export interface WebhookEvent {
  /** The same on every delivery of this event. Store it, and handle the event once. */
  readonly id: string;
  readonly type: WebhookEventType;
  /** RFC 3339, UTC. */
  readonly created_at: string;
  readonly mode: 'live' | 'demo';
  /** 1, 2, 3 … per merchant and mode, without gaps. Deliveries may overtake each other, and this gives their order. */
  readonly sequence: number;
  /** The item as in the list. */
  readonly data: Transaction;
}

const messages = {
  payload_not_raw:
    'payload must be the raw body: its bytes (Uint8Array or ArrayBuffer) or its text; a body that a framework has ' +
    'parsed cannot be verified: read it with express.raw({ type: "application/json" }) or await request.text()',
  missing_header:
    'a webhook carries PesaPost-Signature, PesaPost-Event-Id and PesaPost-Timestamp, each once; ' +
    'is this request from PesaPost, and does a proxy keep its headers?',
  malformed_timestamp: 'PesaPost-Timestamp is not Unix seconds in decimal digits',
  malformed_signature:
    'PesaPost-Signature has no part of the form v4=<64 lower-case hexadecimal digits>',
  no_matching_signature:
    'no signature is that of this body under these secrets; pass the raw bytes of the body, not JSON that was ' +
    'parsed and written again, and the secret of this endpoint and mode',
  timestamp_out_of_tolerance:
    'the webhook is genuine but not of now: it is a replay, or one of the two clocks is wrong',
  malformed_payload: 'the webhook is genuine but its body is no webhook event',
} as const;

export type WebhookProblem = keyof typeof messages;

/** The reason why a request is not a valid webhook. Answer 400, and do nothing with its content. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(readonly code: WebhookProblem) {
    super(messages[code]);
  }
}

/** The headers in the form of the Fetch API, or of Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookToVerify {
  /** The body's raw bytes, or their text; never JSON that was parsed and written again. */
  readonly payload: string | Uint8Array | ArrayBuffer;
  readonly headers: WebhookHeaders;
  /** The endpoint's secret; during a rotation, the new one and the old one. */
  readonly secrets: string | readonly string[];
  /** Unix time in milliseconds; the current time if omitted. */
  readonly now?: number;
  /** How far the timestamp may be from now, in either direction; 300 if omitted. */
  readonly toleranceSeconds?: number;
}

const defaultToleranceSeconds = 300;
/** A rotation has two of each. A sender with more only makes us work. */
const maxSignatures = 8;

/**
 * Verifies that a request is PesaPost's webhook, unchanged and recent, and returns its event (SDK-17).
 * `PesaPost-Signature: v4=<hex HMAC-SHA256(secret, id + "." + timestamp + "." + raw body)>`, two of them joined by a
 * comma during a rotation; one match is enough. The comparison is WebCrypto's, in constant time.
 * @throws WebhookVerificationError; TypeError if there is no secret to verify with
 */
export async function verifyWebhook(webhook: WebhookToVerify): Promise<WebhookEvent> {
  const { headers, now = Date.now() } = webhook;
  const body = rawBody(webhook.payload);
  const id = header(headers, 'PesaPost-Event-Id');
  const timestamp = header(headers, 'PesaPost-Timestamp');
  const signatures = readSignatures(header(headers, 'PesaPost-Signature'));
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw new WebhookVerificationError('malformed_timestamp');
  const signed = concat(utf8(`${id}.${timestamp}.`), body);
  if (!(await anyMatches(secretsOf(webhook.secrets), signatures, signed)))
    throw new WebhookVerificationError('no_matching_signature');
  const toleranceMs = (webhook.toleranceSeconds ?? defaultToleranceSeconds) * 1000;
  // Written so that a tolerance or a clock that is not a number refuses.
  if (!(Math.abs(Number(timestamp) * 1000 - now) <= toleranceMs))
    throw new WebhookVerificationError('timestamp_out_of_tolerance');
  return readEvent(body);
}

/** Callers without types pass whatever their framework gave them, even a parsed body or nothing. */
function rawBody(payload: unknown): Uint8Array {
  if (typeof payload === 'string') return utf8(payload);
  if (payload instanceof Uint8Array) return payload;
  if (isArrayBuffer(payload)) return new Uint8Array(payload);
  throw new WebhookVerificationError('payload_not_raw');
}

/** True for one of another realm (a worker, a test runner) too. */
function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

function header(headers: WebhookHeaders, name: string): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : plainHeader(headers, name);
  if (typeof value !== 'string' || value === '')
    throw new WebhookVerificationError('missing_header');
  return value;
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}

/** Node writes names in lower case, others as received. A name that appears twice is refused. */
function plainHeader(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | undefined {
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name.toLowerCase())
    .flatMap(([, value]) => value ?? []);
  return values.length === 1 ? values[0] : undefined;
}

function readSignatures(text: string): Bytes[] {
  const signatures = text
    .split(',', maxSignatures)
    .flatMap((part) => /^v4=([0-9a-f]{64})$/.exec(part.trim())?.[1] ?? [])
    .map(fromHex);
  if (signatures.length === 0) throw new WebhookVerificationError('malformed_signature');
  return signatures;
}

function secretsOf(given: string | readonly string[]): readonly string[] {
  const secrets = typeof given === 'string' ? [given] : given;
  if (secrets.length === 0 || secrets.some((secret) => secret === ''))
    throw new TypeError('secrets must hold the webhook secret; an empty one would verify anything');
  return secrets;
}

/** Tries every secret on every signature, so that the time does not reveal which one matched. */
async function anyMatches(
  secrets: readonly string[],
  signatures: readonly Bytes[],
  signed: Bytes,
): Promise<boolean> {
  let matches = false;
  for (const secret of secrets) {
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', utf8(secret), hmac, false, ['verify']);
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) matches = true;
  }
  return matches;
}

function readEvent(body: Uint8Array): WebhookEvent {
  const event = jsonOf(body);
  if (!isEvent(event)) throw new WebhookVerificationError('malformed_payload');
  return event;
}

/** Returns undefined if the text is not UTF-8 or not JSON. */
function jsonOf(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function isEvent(value: unknown): value is WebhookEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { id, type, data } = value as Partial<Record<keyof WebhookEvent, unknown>>;
  const hasData = typeof data === 'object' && data !== null;
  return typeof id === 'string' && typeof type === 'string' && hasData;
}
