import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Logger, type Metrics, OwnMembers, redactText } from '#infra/runtime';
import { callerAddress } from './callers.js';
import { problemCodeOf } from './problem.js';
import { type SecurityEvent, SecurityLog } from './security-log.js';

/** What only the edge knows of a request: whose it is and what it is about; for its lines in the logs. */
interface RequestNotes {
  readonly merchantId?: string;
  readonly mode?: string;
  readonly credentialId?: string;
  /** A collection's, as the merchant made it up. Its digits are masked where a phone number could hide in them. */
  readonly reference?: string;
  /** Which credential the request names, before it has proved anything: for the security log alone. */
  readonly namedCredentialId?: string | undefined;
  /** The person who is signed in, as events name people: for the security log alone. */
  readonly personId?: string;
  /** Something that a person did and that the security log tells, such as a sign-in. */
  readonly securityEvent?: SecurityEvent;
  /** Where a limit answers in its place, the code of the failure: for the security log alone. */
  readonly failure?: string;
}

const notes = new WeakMap<FastifyRequest, RequestNotes>();

/** A phone number without its prefix has nine digits: V3 takes references that hold one, and anybody asks for them. */
const longDigits = /\d{9,}/g;

/** Adds to what is known of a request. Never a secret. */
export function noteRequest(request: FastifyRequest, more: RequestNotes): void {
  const reference = more.reference?.replace(longDigits, masked);
  notes.set(request, {
    ...notes.get(request),
    ...more,
    ...(reference !== undefined && { reference: redactText(reference) }),
  });
}

function requestNotesOf(request: FastifyRequest): RequestNotes {
  return notes.get(request) ?? {};
}

function masked(digits: string): string {
  return `${digits.slice(0, 1)}${'*'.repeat(digits.length - 4)}${digits.slice(-3)}`;
}

/** Paths below this are capabilities: whoever knows one may speak for the rail. They never reach a log. */
const unloggedPrefix = '/rails';

/** Answers to whom we do not know, do not let in, or ask to wait; and links that nobody signed. */
const securityStatuses: ReadonlySet<number> = new Set([401, 403, 429]);
const securityCodes: ReadonlySet<string> = new Set(['invalid_link']);

/** A request that was answered, by what may be kept of it: neither its path, nor its query, nor its body. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  readonly status: number;
  /** Of an answer that is an error. */
  readonly code: string | undefined;
  /** Which the request named, or proved to be. */
  readonly credentialId: string | undefined;
}

/** Is notified of every answered request. A provider of this kind in any module of the application is one. */
export abstract class AnswerWatch {
  /** Neither throws nor waits: the next request does. */
  abstract answered(request: AnsweredRequest): void;
}

/** Counts and logs every answered request, by the route's pattern: paths and queries hold references and tokens. */
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
      const ms = Math.round(reply.elapsedTime);
      const requestId = redactText(request.id);
      const credentialId = notes.credentialId ?? namedCredentialId;
      for (const watch of watches)
        watch.answered({ requestId, method, route, status, code: error, credentialId });
      const line = { requestId, method, route, status, ms, ...notes, error };
      logger.info(new OwnMembers(line), 'request');
    }
    done();
  });
}
