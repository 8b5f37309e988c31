import { type Logger, type Metrics } from '#infra/runtime';
import { type FastifyInstance } from 'fastify';
import { callerAddress } from './caller-address.js';
import { problemCodeOf } from './problem-filter.js';
import { requestNotesOf } from './request-notes.js';
import { SecurityLog } from './security-log.js';

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
      const line = { requestId: request.id, method, route, status, ms, ...notes };
      logger.info(error === undefined ? line : { ...line, error }, 'request');
    }
    done();
  });
}
