import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { Metrics } from '#runtime';
import { type FastifyRequest } from 'fastify';
import { type Counter } from 'prom-client';
import { type Observable } from 'rxjs';
import { isV3, placeOf } from './place-of.js';

/**
 * Every request of the page passes here before anything is known of its link; V3's are told from V4's. Headers
 * that are set here stand on error pages, too.
 */
@Injectable()
export class Passage implements NestInterceptor {
  private readonly requests: Counter<'version'>;

  constructor(metrics: Metrics) {
    this.requests = metrics.counter({
      name: 'checkout_requests_total',
      help: 'Requests of the checkout page, by the version of the link',
      labels: ['version'],
    });
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    this.requests.inc({ version: isV3(placeOf(request)) ? 'v3' : 'v4' });
    return next.handle();
  }
}
