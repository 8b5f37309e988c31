import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { NestFactory } from '@nestjs/core';
import { type Socket } from 'node:net';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { writeJson } from '#domain/kernel';
import { type Logger, type Metrics, NestLogger } from '#infra/runtime';
import { bodyLimitBytes, leaveBodiesUnread } from './body-parsing.js';
import {
  boundConnections,
  connectionLimits,
  type ConnectionLimits,
  type Drain,
} from './connections.js';
import { Front, FrontGate, providersOf, runGatesFirst } from './front-gate.js';
import { ErrorPages, httpErrors, noRoute, Problem, ProblemFilter } from './problem.js';
import { originForm, RawQuery } from './raw-request.js';
import { requestIdOf } from './request-id.js';
import { AnswerWatch, observeRequests } from './request-observer.js';
import { assertRoutesClosed, RouteTable } from './routes.js';
import { type BodyLimits, UnfinishedBodies } from './unfinished-bodies.js';

interface HttpAppOptions {
  /** TRUSTED_PROXIES: addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Where the process is to end without cutting anything short. */
  readonly drain?: Drain;
  /** Where they differ from the service's: tests do not wait for its deadlines. */
  readonly limits?: Partial<ConnectionLimits>;
  readonly bodyLimits?: BodyLimits;
}

/** Callback tokens are the longest parameter, some 400 characters. */
const maxParameterLength = 1024;

/** Longer than the 60 s after which common load balancers drop an idle connection, so that they close first. */
const keepAliveTimeoutMs = 65_000;

/** Pages and documents set their own; an API's answers are for nobody but the caller. */
export const answerHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * The HTTP application of a module, with everything that this module promises; not yet initialised nor listening.
 * @throws Error that names routes without an authentication decorator
 */
export async function createHttpApp(
  module: object,
  { trustedProxies, logger, metrics, drain, limits: differing, bodyLimits }: HttpAppOptions,
): Promise<NestFastifyApplication> {
  const limits = { ...connectionLimits, ...differing };
  const front = new Front();
  const adapter = fastifyAdapter(trustedProxies, limits, front);
  const fastify = adapter.getInstance<FastifyInstance>();
  const routes = new RouteTable();
  routes.watch(fastify);
  const unanswered = boundConnections(fastify.server, limits, trustedProxies);
  addAnswerHeaders(fastify);
  drain?.watch(fastify, unanswered);
  runGatesFirst(fastify, front);
  answerBeforeBodies(fastify, routes, front);
  leaveBodiesUnread(fastify, new UnfinishedBodies(metrics, bodyLimits), front.problems);
  fastify.setReplySerializer(writeJson);
  const watches: AnswerWatch[] = [];
  observeRequests(fastify, { logger, metrics }, watches);

  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(logger),
  });
  front.gates.push(...providersOf(app, FrontGate));
  front.pages.push(...providersOf(app, ErrorPages));
  watches.push(...providersOf(app, AnswerWatch));
  app.useGlobalFilters(new ProblemFilter(routes, front.problems, logger));
  assertRoutesClosed(app);
  return app;
}

function fastifyAdapter(
  trustedProxies: readonly string[],
  { headersTimeoutMs, requestTimeoutMs, unreadTimeoutMs, checkEveryMs }: ConnectionLimits,
  front: Front,
): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: unreadTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: checkEveryMs,
      // Node would answer in a shape of its own; `answerBeforeBodies` answers in ours.
      requireHostHeader: false,
    },
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    rewriteUrl: ({ url = '' }) => originForm(url),
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
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      answerUnroutable(front, request, reply);
    },
    clientErrorHandler: answerUnreadable,
  });
}

/** What has no route is answered without reading its body, so 404 and 405 come before 413. */
function answerBeforeBodies(
  fastify: FastifyInstance,
  routes: RouteTable,
  { problems }: Front,
): void {
  fastify.server.on('checkExpectation', (request, response) => {
    // RFC 9110 §10.1.1 allows to ignore what is expected but 100-continue; Node would answer 417 in a shape of its own.
    fastify.server.emit('request', request, response);
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket, httpVersion, headers, url = '' } = request.raw;
    // A connection that was closed for what it sent: nothing more of it is served.
    if (socket.destroyed) reply.hijack();
    else if (httpVersion === '1.1' && headers.host === undefined)
      problems.write(request, reply, new Problem(httpErrors.invalid_request));
    // The router would take a fragment for a query; a target has none.
    else if (request.is404 || url.includes('#'))
      problems.write(request, reply, noRoute(routes, request));
    else done();
  });
}

function addAnswerHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    setAnswerHeaders(request, reply);
    done();
  });
}

function setAnswerHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(answerHeaders).header('X-Request-Id', request.id);
}

/** A path that no route can have (a broken percent-encoding, an endless parameter): Fastify runs no hook for it. */
function answerUnroutable(front: Front, request: FastifyRequest, reply: FastifyReply): void {
  setAnswerHeaders(request, reply);
  if (front.pass(request, reply))
    front.problems.write(request, reply, new Problem(httpErrors.not_found));
}

/**
 * Bytes that are no HTTP, heads that are too long, requests that come too slowly: there is no request to answer,
 * only a connection, which ends. None of them has a status of its own (ERR-13).
 */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const body = JSON.stringify({ error: httpErrors.invalid_request.code });
  const id = requestIdOf({ headers: {} });
  if (socket.writable)
    socket.write(
      `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${body.length}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
    );
  socket.destroy();
}
