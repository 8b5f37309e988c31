import { FrontGate, httpErrors, Problem } from '#shared/http';
import { Clock, msFromInstant } from '#domain/kernel';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { type CalendarDate, rulesAt, startOf, sunsetDate } from '#domain/v3-retirement';
import { Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { V3GateOptions } from './v3-gate.options.js';
import { CallCounter, type V3Route, v3RouteOf } from './call-counter.js';
import { gonePage, unavailablePage } from './page/gate-page.js';
import { RetirementWatch } from './retirement-watch.js';

const rateLimited = { status: 429, code: 'rate_limited' } as const;

/** The rate of a consumer key, over all replicas, from the restrict phase on. */
@Injectable()
export class RestrictedRate {
  constructor(
    private readonly options: V3GateOptions,
    private readonly redis: RedisStore,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 429 with Retry-After; DependencyUnavailable where the rate cannot be known */
  async take(consumerKey: string): Promise<void> {
    const { gaDate, restrictedRate } = this.options;
    if (!rulesAt(gaDate, this.clock.now()).includes('rate_limit')) return;
    const waitMs = await takeFromBucket(this.redis, `bucket:v3:${consumerKey}`, restrictedRate);
    if (waitMs === undefined) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new Problem(rateLimited, { headers: { 'Retry-After': String(seconds) } });
  }
}

/** The page that says how V3 ends and how to leave it (page/leaving-page.ts). */
const leavingPath = '/docs/v3';
/** Where on it the dates stand. */
export const timetableAnchor = 'timetable';

/**
 * What every answer of V3 carries: since when it is deprecated (RFC 9745; a date to come is allowed), from when on
 * it may be gone (RFC 8594), and where a person reads what to do.
 */
export function deprecationHeaders(
  gaDate: CalendarDate,
  baseUrl: string,
): Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>> {
  const sunset = new Date(msFromInstant(startOf(sunsetDate(gaDate))));
  const page = `${baseUrl}${leavingPath}`;
  return {
    Deprecation: `@${msFromInstant(startOf(gaDate)) / 1000}`,
    // The one spelling that toUTCString has is IMF-fixdate's.
    Sunset: sunset.toUTCString(),
    Link: [
      `<${page}>; rel="deprecation"; type="text/html"`,
      `<${page}#${timetableAnchor}>; rel="sunset"; type="text/html"`,
    ].join(', '),
  };
}

/** Whose call it is, once the edge has found out. */
export interface V3Caller {
  readonly merchantId: string;
  readonly consumerKey: string;
}

/** A checkout link of V3 whose hash verified. */
export interface OpenedV3Link {
  readonly merchantId: string;
  /** Whether digits can move into or out of `ttl` under the same hash (PAGE-4). */
  readonly movable: boolean;
  /** Nothing was started from it yet. */
  readonly isFirstLook: boolean;
}

const gone = { status: 410, code: 'gone' } as const;
const retryAfterSeconds = '2';

/** Every answer of V3 passes here: before its route is looked at, and, where it has one, after authentication. */
@Injectable()
export class V3Gate extends FrontGate {
  private readonly headers: Readonly<Record<string, string>>;
  private readonly callers = new WeakMap<FastifyRequest, string>();
  /** Looks at the outcome of a link: they are no use of V3 beyond the link itself. */
  private readonly uncounted = new WeakSet<FastifyRequest>();

  constructor(
    { gaDate, baseUrl }: V3GateOptions,
    private readonly watch: RetirementWatch,
    private readonly counter: CallCounter,
    private readonly rate: RestrictedRate,
  ) {
    super();
    this.headers = deprecationHeaders(gaDate, baseUrl);
  }

  override pass(request: FastifyRequest, reply: FastifyReply): boolean {
    const route = v3RouteOf(request);
    if (route === undefined) return true;
    void reply.headers(this.headers);
    // The form is sent from a page that was counted when its link was opened.
    if (route === 'checkout' && request.method === 'POST') this.uncounted.add(request);
    reply.raw.once('close', () => {
      if (!this.uncounted.has(request)) this.counter.call(this.callers.get(request), route);
    });
    switch (this.watch.state()) {
      case 'in_service':
        return true;
      case 'retired':
        return refused(route, reply, { problem: new Problem(gone), page: gonePage });
      case 'unknown':
        return refused(route, reply, {
          problem: new Problem(httpErrors.service_unavailable, {
            headers: { 'Retry-After': retryAfterSeconds },
          }),
          page: unavailablePage,
        });
    }
  }

  /**
   * Notes whose call it is, and in the restrict phase takes it from the consumer key's rate. Edges call it once a
   * request's signature verified, before they look at what it asks.
   * @throws Problem 429; DependencyUnavailable where the rate cannot be known
   */
  async admit(request: FastifyRequest, { merchantId, consumerKey }: V3Caller): Promise<void> {
    this.callers.set(request, merchantId);
    await this.rate.take(consumerKey);
  }

  /**
   * Notes that a checkout link was opened whose SHA-1 hash verified. Loading its page again to see the outcome of
   * it is counted neither as a link nor as a call.
   */
  noteLink(request: FastifyRequest, { merchantId, movable, isFirstLook }: OpenedV3Link): void {
    if (!isFirstLook) {
      this.uncounted.add(request);
      return;
    }
    this.callers.set(request, merchantId);
    this.counter.link(merchantId, movable);
  }

  /** Notes that a new collection of V3 was recorded whose reference holds the customer's number. */
  notePhoneReference(merchantId: string): void {
    this.counter.phoneReference(merchantId);
  }
}

/** A person at the checkout gets a page, a program the error. @throws Problem */
function refused(
  route: V3Route,
  reply: FastifyReply,
  { problem, page }: { readonly problem: Problem; readonly page: { html: Buffer; policy: string } },
): false {
  if (route !== 'checkout') throw problem;
  void reply
    .code(problem.error.status)
    .headers(problem.headers)
    .header('Content-Security-Policy', page.policy)
    .type('text/html; charset=utf-8')
    .send(page.html);
  return false;
}
