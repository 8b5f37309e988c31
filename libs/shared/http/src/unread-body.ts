import { type Readable } from 'node:stream';
import { type FastifyRequest } from 'fastify';
import { httpErrors, Problem } from './problem.js';
import { mediaTypeOf, RawBody } from './raw-request.js';
import { type HeldBytes } from './unfinished-bodies.js';

interface UnreadBodyOptions {
  /** As sent; empty if none was sent. */
  readonly contentType: string | undefined;
  readonly maxBytes: number;
  readonly held: HeldBytes;
  /** As declared; undefined for a chunked body, whose bytes count as they arrive. */
  readonly length: number | undefined;
  /** Asks a sender that waits for `100 Continue` to continue. */
  readonly begin: () => void;
}

/** The next bytes on the connection are the rest of a body that is not read. */
export const payloadTooLarge = () =>
  new Problem(httpErrors.payload_too_large, { headers: { Connection: 'close' } });

/** A body that was not read yet. Its sender has proved nothing. */
export class UnreadBody {
  constructor(
    private readonly payload: Readable,
    private readonly options: UnreadBodyOptions,
  ) {}

  /**
   * Reads all of it into memory.
   * @throws Problem payload_too_large, rate_limited, service_unavailable; invalid_request if it was cut off
   */
  async read(): Promise<RawBody> {
    const { held, contentType } = this.options;
    try {
      return new RawBody(await this.#bytes(), mediaTypeOf(contentType));
    } finally {
      held.release();
    }
  }

  async #bytes(): Promise<Buffer> {
    const { payload } = this;
    const { held, maxBytes, begin } = this.options;
    const { length: declared } = this.options;
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > maxBytes) throw payloadTooLarge();
      if (declared === undefined) held.hold(length);
      chunks.push(chunk);
    };
    if (declared === undefined) held.beginReading();
    else held.hold(declared);
    return new Promise((resolve, reject) => {
      if (payload.destroyed) {
        reject(new Problem(httpErrors.invalid_request));
        return;
      }
      const over = (settle: () => void): void => {
        payload.off('data', onData).off('end', onEnd).off('error', onCutOff).off('close', onCutOff);
        // A later error has no listener any more, so it is ignored.
        payload.on('error', () => undefined);
        settle();
      };
      const onData = (chunk: Buffer): void => {
        try {
          take(chunk);
        } catch (thrown) {
          over(() => {
            reject(
              thrown instanceof Error ? thrown : new TypeError('the thrown value is not an Error'),
            );
          });
        }
      };
      const onEnd = (): void => {
        over(() => {
          resolve(Buffer.concat(chunks, length));
        });
      };
      const onCutOff = (): void => {
        over(() => {
          reject(new Problem(httpErrors.invalid_request));
        });
      };
      payload.on('data', onData).on('end', onEnd).on('error', onCutOff).on('close', onCutOff);
      begin();
    });
  }
}

/**
 * Reads the request's body, once. A route or its guard calls this as late as it can: no part of a body is read for a
 * sender that is refused before.
 * @param judgeAgain judges the sender once more after a body was read, because the sender may hold the body back: what
 * was revoked or ended meanwhile does not pass (AUTH-25)
 * @throws Problem payload_too_large, rate_limited, service_unavailable, invalid_request; whatever judgeAgain throws
 */
export async function readBody(
  request: FastifyRequest,
  judgeAgain?: () => Promise<unknown>,
): Promise<RawBody | undefined> {
  if (request.body instanceof UnreadBody) {
    request.body = await request.body.read();
    await judgeAgain?.();
  }
  return rawBody(request);
}

/** Returns the body that was read; undefined if none was sent, or if the route reads it as a stream. */
export function rawBody(request: FastifyRequest): RawBody | undefined {
  if (request.body instanceof UnreadBody)
    throw new TypeError('a route asks for a body that it has not read');
  return request.body instanceof RawBody ? request.body : undefined;
}

/** Returns the body's bytes as sent; empty if there was no body. */
export function bodyBytes(request: FastifyRequest): Buffer {
  return rawBody(request)?.bytes ?? Buffer.alloc(0);
}
