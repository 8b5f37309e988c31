import { type Socket } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger, type Metrics, NestLogger } from '#runtime';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { assertRoutesClosed } from './closed-by-default.js';
import { ProblemFilter, writeProblem } from './problem-filter.js';
import { httpErrors, Problem } from './problem.js';
import { writeJson } from './json.js';
import { mediaTypeOf, RawBody, RawQuery } from './raw-request.js';
import { requestIdOf } from './request-id.js';
import { observeRequests } from './request-observer.js';
import { RouteTable } from './route-table.js';

export interface HttpAppOptions {
  /** TRUSTED_PROXIES: addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const bodyLimitBytes = 64 * 1024;

/** Callback tokens are the longest parameter, some 400 characters. */
const maxParameterLength = 1024;

/** A request that is not all here after this long is dropped, whoever sends it a byte at a time. */
const requestTimeoutMs = 30_000;
const headersTimeoutMs = 10_000;
/** Longer than the 60 s after which common load balancers drop an idle connection, so that they close first. */
const keepAliveTimeoutMs = 65_000;

/** Pages and documents set their own; an API's answers are for nobody but the caller. */
const answerHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * The HTTP application of a module, with everything that this room promises; not yet initialised nor listening.
 * @throws Error that names routes without an authentication decorator
 */
export async function createHttpApp(
  module: object,
  { trustedProxies, logger, metrics }: HttpAppOptions,
): Promise<NestFastifyApplication> {
  const adapter = fastifyAdapter(trustedProxies);
  const fastify = adapter.getInstance<FastifyInstance>();
  const routes = new RouteTable();
  routes.watch(fastify);
  handAnswerHeaders(fastify);
  keepBytes(fastify);
  fastify.setReplySerializer(writeJson);
  observeRequests(fastify, logger, metrics);

  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(logger),
  });
  app.useGlobalFilters(new ProblemFilter(routes, logger));
  assertRoutesClosed(app);
  return app;
}

function fastifyAdapter(trustedProxies: readonly string[]): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    http: { headersTimeout: headersTimeoutMs },
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    // Requests that arrive while we close are still served: 503 would be an error without a cause.
    return503OnClosing: false,
    // No Nest middleware is used; its plug-in would only cost time.
    skipMiddie: true,
    multipart: false,
    routerOptions: {
      maxParamLength: maxParameterLength,
      querystringParser: (raw: string) => new RawQuery(raw) as never,
    },
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerUnreadable,
  });
}

/** One parser for whatever comes: the bytes, and what their sender calls them. */
function keepBytes(fastify: FastifyInstance): void {
  const mediaTypes = new WeakMap<FastifyRequest, string | undefined>();
  // Fastify answers 415 to a malformed Content-Type before authentication, so it gets one that it knows.
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    if (headers['content-type'] !== undefined) {
      mediaTypes.set(request, mediaTypeOf(headers['content-type']));
      headers['content-type'] = 'application/octet-stream';
    }
    done();
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: bodyLimitBytes },
    (request, bytes, done) => {
      done(null, new RawBody(bytes as Buffer, mediaTypes.get(request)));
    },
  );
}

function handAnswerHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    setAnswerHeaders(request, reply);
    done();
  });
}

function setAnswerHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(answerHeaders).header('X-Request-Id', request.id);
}

/** A path that no route can have (a broken percent-encoding, an endless parameter): Fastify runs no hook for it. */
function answerUnroutable(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  setAnswerHeaders(request, reply);
  writeProblem(reply, new Problem(httpErrors.not_found));
}

/** Bytes that are no HTTP, or that came too slowly: there is no request to answer, only a connection. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const statusLine =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? '408 Request Timeout'
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? '431 Request Header Fields Too Large'
        : '400 Bad Request';
  const body = JSON.stringify({ error: httpErrors.invalid_request.code });
  const id = requestIdOf({ headers: {} });
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${statusLine}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${body.length}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
    );
  socket.destroy();
}
