import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { noteProblemCode, Problem } from '#shared/http';
import { DependencyUnavailable } from '#domain/kernel';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { CheckoutFault } from './checkout-fault.js';
import { faultPage, faultStatuses } from './page/fault-page.js';
import { pageHeaders } from './page/page-headers.js';
import { placeOf } from './place-of.js';

const log = new Logger('checkout');

/** Seconds to wait before a retry. The servers that we depend on are usually back within a few. */
const retryAfterSeconds = 2;

/** Writes every error of the page as a page: a customer cannot read JSON. */
@Catch()
export class FaultPages implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { code, detail, shop, retryAfterMs } = faultOf(thrown);
    // The line has the route's pattern and never the query, which contains the customer's number and the shop's signed
    // values.
    const line = { requestId: request.id, route: request.routeOptions.url, err: thrown };
    if (code === 'internal_error') log.error({ msg: 'a page ended in a defect', ...line });
    if (code === 'service_unavailable') log.warn({ msg: 'a page could not be served', ...line });
    if (reply.sent) return;
    noteProblemCode(reply, code);
    if (thrown instanceof Problem) void reply.headers(thrown.headers);
    const place = placeOf(request);
    if (retryAfterMs !== undefined)
      void reply.header('Retry-After', Math.max(1, Math.ceil(retryAfterMs / 1000)).toString());
    void reply
      .code(faultStatuses[code])
      .headers(pageHeaders(place.language))
      .send(faultPage({ place, code, detail, shop, requestId: request.id }));
  }
}

function faultOf(thrown: unknown): CheckoutFault {
  if (thrown instanceof CheckoutFault) return thrown;
  if (thrown instanceof Problem) return bodyFaultOf(thrown);
  return thrown instanceof DependencyUnavailable
    ? new CheckoutFault({ code: 'service_unavailable' }, retryAfterSeconds * 1000)
    : new CheckoutFault({ code: 'internal_error' });
}

/** Returns the fault of a form that was not read: too long, cut off, or one too many. */
function bodyFaultOf({ error }: Problem): CheckoutFault {
  switch (error.status) {
    case 429:
      return new CheckoutFault({ code: 'too_many_requests' });
    case 503:
      return new CheckoutFault({ code: 'service_unavailable' });
    case 413:
      return new CheckoutFault({ code: 'oversized_link' });
    case 400:
      return new CheckoutFault({ code: 'malformed_link' });
    default:
      return new CheckoutFault({ code: 'internal_error' });
  }
}
