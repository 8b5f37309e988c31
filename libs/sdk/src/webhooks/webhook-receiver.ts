import { concat } from '../bytes.js';
import {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify-webhook.js';

export interface ReceiverOptions {
  /** The endpoint's secret; while you change it, the new one and the old one. */
  readonly secrets: string | readonly string[];
  /**
   * Takes a verified event; what it returns is waited for, 15 s at most by the service. Deliveries repeat: handle each
   * `event.id` once. Where it throws, the answer is 500 and the event is delivered again.
   */
  readonly onEvent: (event: WebhookEvent) => unknown;
  /** Told of what was refused with 400. */
  readonly onRefused?: (error: WebhookVerificationError) => void;
  /** Told of what `onEvent` threw, and of a set-up that cannot work; console.error where left out. */
  readonly onError?: (error: unknown) => void;
  /** 64 KiB where left out; more is answered 413. */
  readonly maxBodyBytes?: number;
  readonly toleranceSeconds?: number;
  /** Unix time in milliseconds; where left out, Date.now. */
  readonly now?: () => number;
}

/** Raw bytes, or their text; never what a parser made of them. */
export type RawBody = Uint8Array | string | AsyncIterable<Uint8Array>;

export interface ReceivedRequest {
  readonly headers: WebhookHeaders;
  readonly body: RawBody;
}

/** Node's IncomingMessage, and Express's Request. */
type NodeRequest = AsyncIterable<unknown> & {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Express: what a parser made of the body. */
  readonly body?: unknown;
};

/** Node's ServerResponse, and Express's Response. */
interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): { end(): unknown };
}

export interface WebhookReceiver {
  /** For node:http and Express: `createServer(receiver.node)`, `app.post('/webhooks', receiver.node)`. */
  readonly node: (request: NodeRequest, response: NodeResponse) => void;
  /** For Deno.serve, Bun.serve, Hono, Next.js and whatever has the Fetch API's Request. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** For any other server: the status to answer with. */
  readonly status: (request: ReceivedRequest) => Promise<204 | 400 | 413 | 500>;
}

const defaultMaxBodyBytes = 64 * 1024;

/** Verifies what arrives, calls back with each event and answers: 204, 400, 413, and 500 where the callback failed. */
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
      // Where a parser was there first, the raw bytes are what it was told to leave (express.raw()).
      const body = (request.body ?? request) as RawBody;
      void status({ headers: request.headers, body }).then((code) => {
        // What was not read of the body is not taken for the next request.
        response.writeHead(code, code === 413 ? { connection: 'close' } : {}).end();
      });
    },
    fetch: async ({ headers, body }) =>
      new Response(null, { status: await status({ headers, body: body ? chunksOf(body) : '' }) }),
  };
}

/** @returns the status to answer with where there is no body to verify @throws TypeError for what is no raw body */
async function rawBytes(body: RawBody, limit: number): Promise<Uint8Array | string | 400 | 413> {
  if (typeof body === 'string' || body instanceof Uint8Array)
    return body.length > limit ? 413 : body;
  if (!isIterable(body))
    throw new TypeError(
      'the body was parsed already: JSON that is written again has another signature. Mount the receiver before ' +
        'express.json(), or keep the raw bytes',
    );
  // By hand: leaving a loop early would end the connection before it is answered.
  const chunks = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    // A sender who goes away is none of ours to report; nobody hears the answer.
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

/** The stream's own iterator is not in every runtime. */
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
