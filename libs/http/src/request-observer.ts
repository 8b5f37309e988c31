import { type Logger, type Metrics } from '#runtime';
import { type FastifyInstance } from 'fastify';
import { problemCodeOf } from './problem-filter.js';

/** Paths below this are capabilities: whoever knows one may speak for the rail. They never reach a log. */
const unloggedPrefix = '/rails';

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
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    const status = reply.statusCode;
    requests.inc({ method, route, status });
    seconds.observe({ method, route }, reply.elapsedTime / 1000);
    if (!route.startsWith(unloggedPrefix)) {
      const error = problemCodeOf(reply);
      const ms = Math.round(reply.elapsedTime);
      const line = { requestId: request.id, method, route, status, ms };
      logger.info(error === undefined ? line : { ...line, error }, 'request');
    }
    done();
  });
}
