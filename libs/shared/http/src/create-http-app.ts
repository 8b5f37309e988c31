import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type INestApplicationContext } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { type Socket } from 'node:net';
import { FastifyAdapter, type NestFastifyApplication, RouteConfig } from '@nestjs/platform-fastify';
import { writeJson } from '#domain/kernel';
import { type Logger, type Metrics, NestLogger } from '#infra/runtime';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import {
  ErrorPages,
  httpErrors,
  noRoute,
  Problem,
  ProblemFilter,
  ProblemWriter,
} from './problem.js';
import { assertRoutesClosed, RouteTable } from './routes.js';
import {
  boundConnections,
  connectionLimits,
  type ConnectionLimits,
  type Drain,
} from './connections.js';
import { mediaTypeOf, originForm, RawBody, RawQuery } from './raw-request.js';
import { StreamedBody } from './streamed-body.js';
import { AnswerWatch, observeRequests } from './request-observer.js';

/**
 * Stands before routing: sees every request, also those that no route takes, before their bodies are read. A provider
 * of this kind in any module of the application is one.
 */
export abstract class FrontGate {
  /**
   * May set headers that every answer to the request is to carry, and may answer it.
   * @returns whether the request goes on; where it does not, the gate has answered it
   * @throws Problem
   */
  abstract pass(request: FastifyRequest, reply: FastifyReply): boolean;
}

/** Each provider of a kind, of whichever module of the application. */
function providersOf<Kind>(
  app: INestApplicationContext,
  kind: abstract new () => Kind,
): readonly Kind[] {
  const instances = [...app.get(ModulesContainer).values()]
    .flatMap((module) => [...module.providers.values()])
    .map(({ instance }): unknown => instance)
    .filter((instance): instance is Kind => instance instanceof kind);
  return [...new Set(instances)];
}

/** What of the application stands before its routes; it is known once the application exists. */
class Front {
  readonly gates: FrontGate[] = [];
  readonly pages: ErrorPages[] = [];
  readonly problems = new ProblemWriter(this.pages);

  /** @returns whether the request goes on */
  pass(request: FastifyRequest, reply: FastifyReply): boolean {
    try {
      return this.gates.every((gate) => gate.pass(request, reply));
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      this.problems.write(request, reply, thrown);
      return false;
    }
  }
}

interface HttpAppOptions {
  /** TRUSTED_PROXIES: addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Where the process is to end without cutting anything short. */
  readonly drain?: Drain;
  /** Where they differ from the service's: tests do not wait for its deadlines. */
  readonly limits?: Partial<ConnectionLimits>;
}

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
  { trustedProxies, logger, metrics, drain, limits: differing }: HttpAppOptions,
): Promise<NestFastifyApplication> {
  const limits = { ...connectionLimits, ...differing };
  const front = new Front();
  const adapter = fastifyAdapter(trustedProxies, limits, front);
  const fastify = adapter.getInstance<FastifyInstance>();
  const routes = new RouteTable();
  routes.watch(fastify);
  const unanswered = boundConnections(fastify.server, limits, trustedProxies);
  handAnswerHeaders(fastify);
  drain?.watch(fastify, unanswered);
  standGates(fastify, front);
  answerBeforeBodies(fastify, routes, front);
  keepBytes(fastify);
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

/** In the place of what the sender calls a body, for which of our two parsers reads it. */
const [whole, streamed] = ['application/octet-stream', 'application/x-streamed'];

/** What a route's decorators say of its body. */
interface BodyConfig {
  readonly bodyLimit?: number;
  readonly streamsBody?: true;
}

/** One parser for whatever comes: the bytes, and what their sender calls them; another for routes that read them. */
function keepBytes(fastify: FastifyInstance): void {
  // Signatures cover the bytes of any request, so those of a GET are read too.
  for (const method of ['GET', 'HEAD'])
    fastify.addHttpMethod(method, { hasBody: true, overrideExisting: true });
  const contentTypes = new WeakMap<FastifyRequest, string>();
  // Fastify answers 415 to a malformed Content-Type before authentication, so it gets one that it knows.
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    const { streamsBody } = request.routeOptions.config as BodyConfig;
    if (headers['content-type'] !== undefined) contentTypes.set(request, headers['content-type']);
    if (streamsBody) headers['content-type'] = streamed;
    else if (headers['content-type'] !== undefined) headers['content-type'] = whole;
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
  fastify.addContentTypeParser(streamed, (request, payload, done) => {
    const { bodyLimit } = request.routeOptions;
    done(null, new StreamedBody(payload, contentTypes.get(request) ?? '', bodyLimit));
  });
}

/** Before anything else is said of a request, so that a gate sees those as well that no route takes. */
function standGates(fastify: FastifyInstance, front: Front): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (front.pass(request, reply)) done();
  });
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

/** What we are willing to repeat in headers, logs and events: an id, no text. */
const sane = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Of a phone number what follows its prefix (OPS-18), however it is written; in an id without its `.`, `_` and `-`. */
const phoneNumber = /[17][0-9]{8}/;
const separators = /[._-]/g;

/** A UUID or the 128 bits of a trace in hex, where a run of digits is chance; digits alone are none. */
const uuid = /^(?=.*[a-f])[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i;

/** Events are for ever and hold no phone number, so neither does the id that they are told by (ERR-12). */
function mayHoldPhone(id: string): boolean {
  return !uuid.test(id) && phoneNumber.test(id.replace(separators, ''));
}

/** The caller's X-Request-Id where it is sane and holds no phone number, else a fresh UUID. */
function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  const isFit = typeof sent === 'string' && sane.test(sent) && !mayHoldPhone(sent);
  return isFit ? sent : randomUUID();
}
