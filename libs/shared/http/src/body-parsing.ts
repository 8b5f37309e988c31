import { RouteConfig } from '@nestjs/platform-fastify';
import { type IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Problem, type ProblemWriter } from './problem.js';
import { StreamedBody } from './streamed-body.js';
import { type HeldBytes, type UnfinishedBodies, unreadBytes } from './unfinished-bodies.js';
import { payloadTooLarge, UnreadBody } from './unread-body.js';

/** The limit of a route that does not set its own (`BodyLimit`). */
export const bodyLimitBytes = 64 * 1024;

/** Marks a route whose bodies may be larger, or must be smaller, than the usual limit. */
export function BodyLimit(bodyLimit: number): MethodDecorator {
  return RouteConfig({ bodyLimit });
}

/**
 * Marks a route that handles its body as it streams by (`StreamedBody`), once it knows the sender. The limit is in
 * bytes.
 */
export function StreamsBody(bodyLimit: number): MethodDecorator {
  return RouteConfig({ bodyLimit, streamsBody: true });
}

/** Replaces the sender's own content type, because one parser takes all bodies. */
const anyType = 'application/octet-stream';

/** The settings for a route's body in its decorators. */
interface BodyConfig {
  readonly bodyLimit?: number;
  readonly streamsBody?: true;
}

/** A request that has a body. */
interface Announced {
  readonly contentType: string | undefined;
  /** Undefined for a chunked body. */
  readonly length: number | undefined;
  readonly held: HeldBytes;
}

/**
 * Leaves every body unread. Its route reads it (`readBody`, `StreamedBody`) once it knows the sender as well as it can
 * without the body. Only a declared length that is too long, and too many bodies, are refused before that (AUTH-2,
 * ERR-16).
 */
export function leaveBodiesUnread(
  fastify: FastifyInstance,
  bodies: UnfinishedBodies,
  problems: ProblemWriter,
): void {
  // Signatures cover the bytes of any request, so a GET's body is read too.
  for (const method of ['GET', 'HEAD'])
    fastify.addHttpMethod(method, { hasBody: true, overrideExisting: true });
  const announced = new WeakMap<FastifyRequest, Announced>();
  fastify.addHook('onRoute', (route) => {
    const { bodyLimit = bodyLimitBytes, streamsBody } = (route.config ?? {}) as BodyConfig;
    route.bodyLimit = bodyLimit;
    if (!streamsBody) bodies.addRoute(route.url, bodyLimit);
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!hasBody(request)) {
      done();
      return;
    }
    try {
      announced.set(request, announce(request, reply, bodies));
      done();
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      problems.write(request, reply, thrown);
    }
  });
  const continuing = new ContinueOnRead(fastify);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (request, payload, done) => {
    const { contentType, length, held } = announced.get(request) ?? {};
    const { bodyLimit: maxBytes, config } = request.routeOptions;
    const begin = () => {
      continuing.begin(request);
    };
    if ((config as BodyConfig).streamsBody)
      done(null, new StreamedBody(payload, { contentType, maxBytes, begin }));
    else if (held === undefined) done(null, undefined);
    else
      done(
        null,
        new UnreadBody(payload, {
          contentType,
          maxBytes,
          held,
          begin,
          length,
        }),
      );
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0') || type !== undefined;
}

/** @throws Problem payload_too_large, rate_limited, service_unavailable */
function announce(
  request: FastifyRequest,
  reply: FastifyReply,
  bodies: UnfinishedBodies,
): Announced {
  const { headers } = request.raw;
  const { bodyLimit, config } = request.routeOptions;
  const { streamsBody } = config as BodyConfig;
  const contentType = headers['content-type'];
  // Fastify answers a malformed Content-Type with 415 before authentication, so it gets a type that it knows.
  headers['content-type'] = anyType;
  const length =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
  if (length !== undefined && length > bodyLimit && !streamsBody) throw payloadTooLarge();
  const held = bodies.of(request);
  // At most this many bytes are in memory before a body is read, and while one streams.
  held.hold(Math.min(length ?? bodyLimit, unreadBytes));
  reply.raw.once('close', () => {
    held.release();
  });
  return { contentType, length, held };
}

/**
 * Asks a sender that waits for `100 Continue` (RFC 9110 §10.1.1) to continue only when its body is read, so not if it
 * is refused.
 */
class ContinueOnRead {
  readonly #waiting = new WeakMap<IncomingMessage, () => void>();

  constructor(fastify: FastifyInstance) {
    fastify.server.on('checkContinue', (request, response) => {
      this.#waiting.set(request, () => {
        response.writeContinue();
      });
      fastify.server.emit('request', request, response);
    });
  }

  begin({ raw }: FastifyRequest): void {
    this.#waiting.get(raw)?.();
    this.#waiting.delete(raw);
  }
}
