import { concat } from '../bytes.js';
import {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify-webhook.js';

export interface ReceiverOptions {
  /** The endpoint's secret; during a rotation, the new one and the old one. */
  readonly secrets: string | readonly string[];
  /**
   * Handles a verified event. The receiver waits for its result, and the service for 15 s at most. Deliveries repeat,
   * so handle each `event.id` once. If this throws, the answer is 500 and the event is delivered again.
   */
  readonly onEvent: (event: WebhookEvent) => unknown;
  /** Called with what was refused with 400. */
  readonly onRefused?: (error: WebhookVerificationError) => void;
  /** Called with errors of `onEvent`, and with a set-up that cannot work; console.error if omitted. */
  readonly onError?: (error: unknown) => void;
  /** 64 KiB if omitted. A larger body is answered with 413. */
  readonly maxBodyBytes?: number;
  readonly toleranceSeconds?: number;
  /** Returns Unix time in milliseconds; Date.now if omitted. */
  readonly now?: () => number;
}

/** Raw bytes, or their text; never the result of a parser. */
export type RawBody = Uint8Array | string | AsyncIterable<Uint8Array>;

export interface ReceivedRequest {
  readonly headers: WebhookHeaders;
  readonly body: RawBody;
}

/** Node's IncomingMessage, and Express's Request. */
type NodeRequest = AsyncIterable<unknown> & {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Express: the result of a body parser. */
  readonly body?: unknown;
};

/** Node's ServerResponse, and Express's Response. */
interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): { end(): unknown };
}

export interface WebhookReceiver {
  /** For node:http and Express: `createServer(receiver.node)`, `app.post('/webhooks', receiver.node)`. */
  readonly node: (request: NodeRequest, response: NodeResponse) => void;
  /** For Deno.serve, Bun.serve, Hono, Next.js and any server with the Fetch API's Request. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** For any other server. Returns the status to answer with. */
  readonly status: (request: ReceivedRequest) => Promise<204 | 400 | 413 | 500>;
}

const defaultMaxBodyBytes = 64 * 1024;

/**
 * Verifies incoming requests, calls back with each event and answers: 204, 400, 413, or 500 if the callback failed
 * (SDK-18).
 */
export function webhookReceiver(options: ReceiverOptions): WebhookReceiver {
  const { onRefused, onError = console.error, now = Date.now } = options;
  const status: WebhookReceiver['status'] = async ({ headers, body }) => {
    try {
      const payload = await rawBytes(body, options.maxBodyBytes ?? defaultMaxBodyBytes);
      if (typeof payload === 'number') return payload;
      const { secrets, toleranceSeconds } = options;
      const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds };
      const webhook = { payload, headers, secrets, now: now(), ...tolerance };
      await options.onEvent(await verifyWebhook(webhook));
      return 204;
    } catch (error) {
      if (error instanceof WebhookVerificationError) {
        onRefused?.(error);
        return 400;
      }
      onError(error);
      return 500;
    }
  };
  return {
    status,
    node: (request, response) => {
      // If a parser ran first, the raw bytes are those that it was told to leave (express.raw()).
      const body = (request.body ?? request) as RawBody;
      void status({ headers: request.headers, body }).then((code) => {
        // The unread part of the body must not be read as the next request.
        response.writeHead(code, code === 413 ? { connection: 'close' } : {}).end();
      });
    },
    fetch: async ({ headers, body }) =>
      new Response(null, { status: await status({ headers, body: body ? chunksOf(body) : '' }) }),
  };
}

/** @returns the status to answer with if there is no body to verify @throws TypeError if it is no raw body */
async function rawBytes(body: RawBody, limit: number): Promise<Uint8Array | string | 400 | 413> {
  if (typeof body === 'string' || body instanceof Uint8Array)
    return body.length > limit ? 413 : body;
  if (!isIterable(body))
    throw new TypeError(
      'the body was parsed already: JSON that is written again has another signature. Mount the receiver before ' +
        'express.json(), or keep the raw bytes',
    );
  // Written by hand, because leaving a loop early would end the connection before the answer.
  const chunks = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    // A sender that goes away needs no report, because it cannot receive the answer.
    const next = await chunks.next().catch(() => undefined);
    if (!next) return 400;
    if (next.done === true) return concat(...read);
    length += next.value.length;
    if (length > limit) return 413;
    read.push(next.value);
  }
}

function isIterable(value: unknown): value is AsyncIterable<Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Not every runtime has the stream's own iterator. */
async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  for (;;) {
    const chunk = await reader.read();
    if (chunk.done) return;
    yield chunk.value;
  }
}
