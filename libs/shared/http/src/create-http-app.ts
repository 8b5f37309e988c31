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
import { isAmbiguous, originForm, rawPath, RawQuery } from './raw-request.js';
import { requestIdOf } from './request-id.js';
import { AnswerWatch, observeRequests } from './request-observer.js';
import { traceRequests } from './request-tracing.js';
import { assertRoutesClosed, RouteTable } from './routes.js';
import { type BodyLimits, UnfinishedBodies } from './unfinished-bodies.js';

interface HttpAppOptions {
  /** TRUSTED_PROXIES: addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Given if the process is to end without cutting requests short. */
  readonly drain?: Drain;
  /** Overrides of the service's limits: tests do not wait for its deadlines. */
  readonly limits?: Partial<ConnectionLimits>;
  readonly bodyLimits?: BodyLimits;
  /** BASE_URL. If it is https, browsers must use https only. */
  readonly baseUrl?: string;
}

/** Callback tokens are the longest parameter, some 400 characters. */
const maxParameterLength = 1024;

/** Longer than the 60 s after which common load balancers drop an idle connection, so that they close first. */
const keepAliveTimeoutMs = 65_000;

/** The headers of every answer. Pages and documents set their own, and only the caller may read an API's answers. */
export const answerHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * Makes the HTTP application of a module, with every guarantee of this module; it is not initialised and does not
 * listen yet.
 * @throws Error that names routes without an authentication decorator
 */
export async function createHttpApp(
  module: object,
  { trustedProxies, logger, metrics, drain, ...options }: HttpAppOptions,
): Promise<NestFastifyApplication> {
  const limits = { ...connectionLimits, ...options.limits };
  const { bodyLimits, baseUrl = '' } = options;
  const front = new Front();
  const setAnswerHeaders = answerHeadersSetter(baseUrl.startsWith('https:'));
  const adapter = fastifyAdapter(trustedProxies, limits, (request, reply) => {
    setAnswerHeaders(request, reply);
    answerUnroutable(front, request, reply);
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const routes = new RouteTable();
  routes.watch(fastify);
  const unanswered = boundConnections(fastify.server, limits, trustedProxies);
  traceRequests(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    setAnswerHeaders(request, reply);
    done();
  });
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
  answerUnroutable: SetAnswerHeaders,
): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: unreadTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: checkEveryMs,
      // Node's own answer has another shape; `answerBeforeBodies` answers in ours.
      requireHostHeader: false,
    },
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    rewriteUrl: ({ url = '' }) => originForm(url),
    genReqId: requestIdOf,
    requestIdHeader: false,
    // Requests that arrive while we close are still served, because there is no reason for a 503.
    return503OnClosing: false,
    // No Nest middleware is used, and its plug-in would only cost time.
    skipMiddie: true,
    multipart: false,
    routerOptions: {
      maxParamLength: maxParameterLength,
      querystringParser: (raw: string) => new RawQuery(raw) as never,
    },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      answerUnroutable(request, reply);
    },
    clientErrorHandler: answerUnreadable,
  });
}

/** Answers a request without a route before its body is read, so that 404 and 405 come before 413. */
function answerBeforeBodies(
  fastify: FastifyInstance,
  routes: RouteTable,
  { problems }: Front,
): void {
  fastify.server.on('checkExpectation', (request, response) => {
    // RFC 9110 §10.1.1 allows a server to ignore expectations other than 100-continue. Node's 417 would have another
    // shape.
    fastify.server.emit('request', request, response);
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    // A connection that was closed because of its bytes gets no further answers.
    if (request.raw.socket.destroyed) reply.hijack();
    else if (isAmbiguous(request.raw)) problems.write(request, reply, ambiguous());
    // The router would read a fragment as a query, but a request target has no fragment.
    else if (request.is404 || (request.raw.url ?? '').includes('#') || isMisspelt(request))
      problems.write(request, reply, noRoute(routes, request));
    else done();
  });
}

/** Matches percent-encoded characters that need no encoding (RFC 3986 §2.3): another spelling of the same path. */
const encodedUnreserved = /%(?:2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a]|5f|7e)/i;

/** True for a path in another spelling, which a proxy's rules for paths would not match (AUTH-32). */
function isMisspelt(request: FastifyRequest): boolean {
  const path = rawPath(request);
  return path.includes('%') && encodedUnreserved.test(path);
}

/** The next bytes on its connection cannot be separated from the request. */
const ambiguous = () =>
  new Problem(httpErrors.invalid_request, { headers: { Connection: 'close' } });

/** Valid for a year, if the service is reached by https (ERR-17). */
const httpsHeaders = { 'Strict-Transport-Security': 'max-age=31536000' } as const;

type SetAnswerHeaders = (request: FastifyRequest, reply: FastifyReply) => void;

function answerHeadersSetter(isHttps: boolean): SetAnswerHeaders {
  const headers = isHttps ? { ...answerHeaders, ...httpsHeaders } : answerHeaders;
  return (request, reply) => {
    void reply.headers(headers).header('X-Request-Id', request.id);
  };
}

/**
 * Answers a path that no route can have (a broken percent-encoding, an endless parameter). Fastify runs no hook for it.
 */
function answerUnroutable(front: Front, request: FastifyRequest, reply: FastifyReply): void {
  if (front.pass(request, reply))
    front.problems.write(request, reply, new Problem(httpErrors.not_found));
}

/**
 * Ends a connection whose bytes are not HTTP, whose head is too long, or whose requests are too slow. There is no
 * request to answer, and none of these has a status of its own (ERR-13).
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
