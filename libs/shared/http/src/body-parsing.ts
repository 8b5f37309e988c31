import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { mediaTypeOf, RawBody } from './raw-request.js';
import { StreamedBody } from './streamed-body.js';

/** Of a route that does not set its own (`BodyLimit`). */
export const bodyLimitBytes = 64 * 1024;

/** A route whose bodies may be larger, or must be smaller, than others'. */
export function BodyLimit(bodyLimit: number): MethodDecorator {
  return RouteConfig({ bodyLimit });
}

/** A route that reads its body itself, once it knows who sends it: `StreamedBody`, of so many bytes at most. */
export function StreamsBody(bodyLimit: number): MethodDecorator {
  return RouteConfig({ bodyLimit, streamsBody: true });
}

/** In the place of what the sender calls a body, for which of our two parsers reads it. */
const wholeBodyType = 'application/octet-stream';
const streamedBodyType = 'application/x-streamed';

/** What a route's decorators say of its body. */
interface BodyConfig {
  readonly bodyLimit?: number;
  readonly streamsBody?: true;
}

/** One parser for whatever comes: the bytes, and what their sender calls them; another for routes that read them. */
export function parseBodiesAsBytes(fastify: FastifyInstance): void {
  // Signatures cover the bytes of any request, so those of a GET are read too.
  for (const method of ['GET', 'HEAD'])
    fastify.addHttpMethod(method, { hasBody: true, overrideExisting: true });
  const contentTypes = new WeakMap<FastifyRequest, string>();
  // Fastify answers 415 to a malformed Content-Type before authentication, so it gets one that it knows.
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    const { streamsBody } = request.routeOptions.config as BodyConfig;
    if (headers['content-type'] !== undefined) contentTypes.set(request, headers['content-type']);
    if (streamsBody) headers['content-type'] = streamedBodyType;
    else if (headers['content-type'] !== undefined) headers['content-type'] = wholeBodyType;
    done();
  });
  fastify.addHook('onRoute', (route) => {
    const { bodyLimit } = (route.config ?? {}) as BodyConfig;
    if (bodyLimit !== undefined) route.bodyLimit = bodyLimit;
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: bodyLimitBytes },
    (request, bytes, done) => {
      done(null, new RawBody(bytes as Buffer, mediaTypeOf(contentTypes.get(request))));
    },
  );
  fastify.addContentTypeParser(streamedBodyType, (request, payload, done) => {
    const { bodyLimit } = request.routeOptions;
    done(null, new StreamedBody(payload, contentTypes.get(request) ?? '', bodyLimit));
  });
}
