import { FrontGate, httpErrors, Problem } from '#shared/http';
import { Clock, msFromInstant } from '#domain/kernel';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { type CalendarDate, rulesAt, startOf, sunsetDate } from '#domain/v3-retirement';
import { Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { V3GateOptions } from './v3-gate.options.js';
import { CallCounter, hasSha1Hash, type V3Route, v3RouteOf } from './call-counter.js';
import { gonePage, unavailablePage } from './page/gate-page.js';
import { RetirementWatch } from './retirement-watch.js';

const rateLimited = { status: 429, code: 'rate_limited' } as const;

/** The rate of a consumer key, across all replicas, from the restrict phase on. */
@Injectable()
export class RestrictedRate {
  constructor(
    private readonly options: V3GateOptions,
    private readonly redis: RedisStore,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 429 with Retry-After; DependencyUnavailable if the rate is unknown */
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
/** The anchor of the dates on that page. */
export const timetableAnchor = 'timetable';

/**
 * Returns the headers of every answer of V3:
 * - the date of its deprecation (RFC 9745; a future date is allowed),
 * - the date from which it may be gone (RFC 8594),
 * - the page that says what to do.
 */
export function deprecationHeaders(
  gaDate: CalendarDate,
  baseUrl: string,
): Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>> {
  const sunset = new Date(msFromInstant(startOf(sunsetDate(gaDate))));
  const page = `${baseUrl}${leavingPath}`;
  return {
    Deprecation: `@${msFromInstant(startOf(gaDate)) / 1000}`,
    // The only format of toUTCString is IMF-fixdate.
    Sunset: sunset.toUTCString(),
    Link: [
      `<${page}>; rel="deprecation"; type="text/html"`,
      `<${page}#${timetableAnchor}>; rel="sunset"; type="text/html"`,
    ].join(', '),
  };
}

/** The merchant and key of a call, once the edge knows them. */
export interface V3Caller {
  readonly merchantId: string;
  readonly consumerKey: string;
}

/** A checkout link of V3 whose hash verified. */
export interface OpenedV3Link {
  readonly merchantId: string;
  /** True if digits can move into or out of `ttl` under the same hash (PAGE-4). */
  readonly movable: boolean;
  /** True if nothing was started from it yet. */
  readonly isFirstLook: boolean;
}

const gone = { status: 410, code: 'gone' } as const;
const retryAfterSeconds = '2';

/**
 * The gate for every answer of V3: before routing and, if there is a route, after authentication. Forms pass it again
 * once they are read.
 */
@Injectable()
export class V3Gate extends FrontGate {
  private readonly headers: Readonly<Record<string, string>>;
  private readonly callers = new WeakMap<FastifyRequest, string>();
  /** Views of a link's outcome. They are no use of V3 beyond the link itself. */
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
    // The form comes from a page that was counted when its link was opened.
    if (route === 'checkout' && request.method === 'POST') this.uncounted.add(request);
    reply.raw.once('close', () => {
      if (!this.uncounted.has(request)) this.counter.call(this.callers.get(request), route);
    });
    return this.mayGoOn(route, reply);
  }

  /**
   * Passes a form that a shop posted to the checkout page, once its body was read (DEP-2). If it contains a link of V3,
   * it is answered as that link is. It is not counted, because it leads to the link, which is.
   * @param form the form's text as sent
   * @returns true if the request goes on; if false, the gate has answered it
   */
  passForm(reply: FastifyReply, form: string): boolean {
    return !hasSha1Hash(form) || this.mayGoOn('checkout', reply);
  }

  private mayGoOn(route: V3Route, reply: FastifyReply): boolean {
    void reply.headers(this.headers);
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
   * Records the call's merchant, and in the restrict phase counts it against the consumer key's rate. Edges call this
   * once a request's signature verified, before they look at its content.
   * @throws Problem 429; DependencyUnavailable if the rate is unknown
   */
  async admit(request: FastifyRequest, { merchantId, consumerKey }: V3Caller): Promise<void> {
    this.callers.set(request, merchantId);
    await this.rate.take(consumerKey);
  }

  /**
   * Records that a checkout link with a verified SHA-1 hash was opened. Loading its page again to see the outcome is
   * counted neither as a link nor as a call.
   */
  noteLink(request: FastifyRequest, { merchantId, movable, isFirstLook }: OpenedV3Link): void {
    if (!isFirstLook) {
      this.uncounted.add(request);
      return;
    }
    this.callers.set(request, merchantId);
    this.counter.link(merchantId, movable);
  }

  /** Records that a new collection of V3 has the customer's number in its reference. */
  notePhoneReference(merchantId: string): void {
    this.counter.phoneReference(merchantId);
  }
}

/** Refuses the request. A person at the checkout gets a page, a program the error. @throws Problem */
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
