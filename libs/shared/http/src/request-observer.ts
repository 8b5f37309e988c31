import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Logger, type Metrics, OwnMembers, redactText } from '#infra/runtime';
import { callerAddress } from './callers.js';
import { problemCodeOf } from './problem.js';
import { SecurityLog } from './security-log.js';

/** What only the edge knows of a request: whose it is and what it is about; for its lines in the logs. */
interface RequestNotes {
  readonly merchantId?: string;
  readonly mode?: string;
  readonly credentialId?: string;
  /** A collection's, as the merchant made it up. Its digits are masked where a phone number could hide in them. */
  readonly reference?: string;
  /** Which credential the request names, before it has proved anything: for the security log alone. */
  readonly namedCredentialId?: string | undefined;
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

/** Counts and logs every answered request, by the route's pattern: paths and queries hold references and tokens. */
export function observeRequests(fastify: FastifyInstance, logger: Logger, metrics: Metrics): void {
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
    const { namedCredentialId, failure, ...notes } = requestNotesOf(request);
    if (error !== undefined) errors.inc({ code: error });
    if (!route.startsWith(unloggedPrefix)) {
      if (error !== undefined && (securityStatuses.has(status) || securityCodes.has(error)))
        security.refused({
          ...{ code: error, status, method, route, requestId: request.id, failure },
          credentialId: notes.credentialId ?? namedCredentialId,
          address: callerAddress(request),
        });
      const ms = Math.round(reply.elapsedTime);
      const requestId = redactText(request.id);
      const line = { requestId, method, route, status, ms, ...notes, error };
      logger.info(new OwnMembers(line), 'request');
    }
    done();
  });
}
