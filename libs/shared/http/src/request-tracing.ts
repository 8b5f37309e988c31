import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Span, type SpanAttributes, tracing } from '#infra/runtime';

const spans = new WeakMap<FastifyRequest, Span>();

/** The rail's callbacks continue the trace of their collection, which is known only once it is read. */
const untracedPrefix = '/rails';

/** Begins a span for each request that the draw records. Costs nothing if tracing is off: there is no hook then. */
export function traceRequests(fastify: FastifyInstance): void {
  if (!tracing) return;
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { url: route } = request.routeOptions;
    if (route !== undefined && !request.is404 && !route.startsWith(untracedPrefix)) {
      const sent = request.headers['traceparent'];
      const name = `${request.method} ${route}`;
      const span = tracing?.begin(name, typeof sent === 'string' ? sent : undefined);
      if (span) spans.set(request, span);
    }
    done();
  });
}

/** Ends the request's span, if it has one. */
export function endRequestSpan(
  request: FastifyRequest,
  status: number,
  attributes: SpanAttributes,
): void {
  spans.get(request)?.end(
    {
      'http.request.method': request.method,
      'http.route': request.routeOptions.url,
      'http.response.status_code': status,
      ...attributes,
    },
    status >= 500,
  );
}

/** The context of the request's span, for the metadata of its command; undefined if it is not recorded. */
export function traceparentOf(request: FastifyRequest): string | undefined {
  return tracing && spans.get(request)?.traceparent;
}
