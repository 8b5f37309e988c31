import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import {
  type Logger,
  maskedDigits,
  maskedReference,
  type Metrics,
  OwnMembers,
  redactText,
  type SpanAttributes,
  traceMembers,
} from '#infra/runtime';
import { callerAddress } from './callers.js';
import { problemCodeOf } from './problem.js';
import { endRequestSpan, traceparentOf } from './request-tracing.js';
import { type SecurityEvent, SecurityLog } from './security-log.js';

/** Facts about a request that only the edge knows, such as its caller and subject. They are for its log lines. */
interface RequestNotes {
  readonly merchantId?: string;
  readonly mode?: string;
  readonly credentialId?: string;
  /** A collection's reference, as the merchant chose it. Its digits are masked if a phone number could hide in them. */
  readonly reference?: string;
  /** The credential that the request names, before it has proved anything. Only for the security log. */
  readonly namedCredentialId?: string | undefined;
  /** The person who is signed in, as events name people. Only for the security log. */
  readonly personId?: string;
  /** A person's action that the security log reports, such as a sign-in. */
  readonly securityEvent?: SecurityEvent;
  /** The failure's code if a limit answers in its place. Only for the security log. */
  readonly failure?: string;
}

const notes = new WeakMap<FastifyRequest, RequestNotes>();

/**
 * A phone number without its prefix has nine digits. V3 accepts references that contain one, and anyone may ask for
 * them.
 */
const longDigits = /\d{9,}/g;

/** Adds facts about a request. Never add a secret. */
export function noteRequest(request: FastifyRequest, more: RequestNotes): void {
  const reference = more.reference?.replace(longDigits, maskedDigits);
  notes.set(request, {
    ...notes.get(request),
    ...more,
    ...(reference !== undefined && { reference: redactText(maskedReference(reference)) }),
  });
}

function requestNotesOf(request: FastifyRequest): RequestNotes {
  return notes.get(request) ?? {};
}

/** Paths below this are capabilities: anyone who knows one may act as the rail. They never reach a log. */
const unloggedPrefix = '/rails';

/**
 * The statuses for callers that are unknown, not admitted or asked to wait, and for links without a valid signature.
 */
const securityStatuses: ReadonlySet<number> = new Set([401, 403, 429]);
const securityCodes: ReadonlySet<string> = new Set(['invalid_link']);

/** An answered request without body and headers. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  /** Path and query as they came. They may contain a phone number: only `maskedTarget` of them may be stored. */
  readonly target: string;
  readonly status: number;
  /** The code of an error answer. */
  readonly code: string | undefined;
  readonly durationMs: number;
  /** The credential that the request named or proved. */
  readonly credentialId: string | undefined;
  /** Set only if the request proved its credential. */
  readonly merchantId: string | undefined;
  readonly mode: string | undefined;
}

/** Is notified of every answered request. A provider of this kind in any module of the application is one. */
export abstract class AnswerWatch {
  /** Neither throws nor waits, because the next request would wait too. */
  abstract answered(request: AnsweredRequest): void;
}

/** Counts and logs every answered request by the route's pattern. Paths and queries contain references and tokens. */
export function observeRequests(
  fastify: FastifyInstance,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
  watches: readonly AnswerWatch[],
): void {
  const requests = metrics.counter({
    name: 'http_requests_total',
    help: 'Answered requests by method, route pattern and status',
    labels: ['method', 'route', 'status'],
  });
  const seconds = metrics.histogram({
    name: 'http_request_seconds',
    help: 'Time from the first byte to the last of the answer, by route pattern',
    labels: ['method', 'route'],
  });
  const errors = metrics.counter({
    name: 'http_errors_total',
    help: 'Error answers, by code',
    labels: ['code'],
  });
  const security = new SecurityLog(logger, metrics);
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    const status = reply.statusCode;
    requests.inc({ method, route, status });
    seconds.observe({ method, route }, reply.elapsedTime / 1000);
    const error = problemCodeOf(reply);
    const { namedCredentialId, failure, personId, securityEvent, ...notes } =
      requestNotesOf(request);
    if (error !== undefined) errors.inc({ code: error });
    endRequestSpan(request, status, spanAttributesOf(notes, error));
    if (!route.startsWith(unloggedPrefix)) {
      if (error !== undefined && (securityStatuses.has(status) || securityCodes.has(error)))
        security.refused({
          code: error,
          status,
          method,
          route,
          requestId: request.id,
          failure,
          personId,
          credentialId: notes.credentialId ?? namedCredentialId,
          address: callerAddress(request),
        });
      if (securityEvent !== undefined)
        security.noted({
          event: securityEvent,
          route,
          requestId: request.id,
          personId,
          address: callerAddress(request),
        });
      const answered = answeredOf(request, reply, route);
      for (const watch of watches) watch.answered(answered);
      const { requestId, durationMs: ms } = answered;
      const traced = traceMembers(traceparentOf(request));
      const line = { requestId, method, route, status, ms, ...notes, error, ...traced };
      logger.info(new OwnMembers(line), 'request');
    }
    done();
  });
}

function spanAttributesOf(
  { merchantId, mode }: RequestNotes,
  error: string | undefined,
): SpanAttributes {
  return { 'pesapost.merchant_id': merchantId, 'pesapost.mode': mode, 'error.type': error };
}

function answeredOf(request: FastifyRequest, reply: FastifyReply, route: string): AnsweredRequest {
  const { namedCredentialId, credentialId, merchantId, mode } = requestNotesOf(request);
  return {
    requestId: redactText(request.id),
    method: request.method,
    route,
    target: request.url,
    status: reply.statusCode,
    code: problemCodeOf(reply),
    durationMs: Math.round(reply.elapsedTime),
    credentialId: credentialId ?? namedCredentialId,
    merchantId,
    mode,
  };
}
