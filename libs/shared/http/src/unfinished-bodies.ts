import { type FastifyRequest } from 'fastify';
import { type Metrics } from '#infra/runtime';
import { callerAddress, sourceOf } from './callers.js';
import { httpErrors, Problem } from './problem.js';

/** The bytes that unfinished bodies of one interface may take (ERR-16). */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxBytesPerSource: number;
}

/** Bodies of the longest kind that one source may leave unfinished, and the sources that may do so at once. */
const longestPerSource = 16;
const fullSources = 8;
/** Bodies are often far shorter than the longest, and many callers may share one address. */
const minBytesPerSource = 2 * 1024 * 1024;

/** @param longest the most that a route of the interface reads */
export function bodyLimitsFor(longest: number): BodyLimits {
  const maxBytesPerSource = Math.max(minBytesPerSource, longestPerSource * longest);
  return { maxBytes: fullSources * maxBytesPerSource, maxBytesPerSource };
}

/** An unfinished request costs so much by itself: its head and our own objects. */
const leastBytes = 4 * 1024;

/** Node stops reading a connection when so much of a body lies unread. */
export const unreadBytes = 64 * 1024;

/** Unfinished bodies of one interface. */
interface Pool {
  readonly limits: BodyLimits;
  readonly sources: Map<string, number>;
  bytes: number;
}

/** One body's part of what its source and its interface may have. */
export class HeldBytes {
  #bytes = 0;

  constructor(
    private readonly pool: Pool,
    private readonly source: string,
  ) {}

  /** @throws Problem rate_limited where the source has too much, service_unavailable where all sources together have */
  hold(bytes: number): void {
    const { limits, sources } = this.pool;
    const more = Math.max(leastBytes, bytes) - this.#bytes;
    const ofSource = (sources.get(this.source) ?? 0) + more;
    if (ofSource > limits.maxBytesPerSource) throw tooMuch(httpErrors.rate_limited);
    if (this.pool.bytes + more > limits.maxBytes) throw tooMuch(httpErrors.service_unavailable);
    this.#add(more, ofSource);
  }

  /** Of a chunked body, when it begins to be read: from then on its bytes count as they come. */
  beginReading(): void {
    const less = Math.min(0, leastBytes - this.#bytes);
    this.#add(less, (this.pool.sources.get(this.source) ?? 0) + less);
  }

  /** The body is whole, or its request is over; may be called again. */
  release(): void {
    if (this.#bytes === 0) return;
    this.#add(-this.#bytes, (this.pool.sources.get(this.source) ?? 0) - this.#bytes);
  }

  #add(bytes: number, ofSource: number): void {
    this.#bytes += bytes;
    this.pool.bytes += bytes;
    if (ofSource > 0) this.pool.sources.set(this.source, ofSource);
    else this.pool.sources.delete(this.source);
  }
}

/** What comes after the refused body on its connection is not read, so the connection ends. */
function tooMuch(error: (typeof httpErrors)['rate_limited' | 'service_unavailable']): Problem {
  return new Problem(error, { headers: { 'Retry-After': '1', Connection: 'close' } });
}

/**
 * The bodies of a process that are not whole yet. Each interface has its own share, so that a flood of one takes nothing
 * from the others; so has each client address.
 */
export class UnfinishedBodies {
  readonly #pools = new Map<string, Pool>();
  /** Of each interface, the most that a route of it reads. */
  readonly #longest = new Map<string, number>();

  /** @param limits where they differ from the service's: tests do not fill its memory */
  constructor(
    metrics: Metrics,
    private readonly limits?: BodyLimits,
  ) {
    metrics.gauge({
      name: 'http_unfinished_body_bytes',
      help: 'Bytes that unfinished request bodies may take, all interfaces together',
      collect: () => [...this.#pools.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    });
  }

  /** A route that reads bodies, before the first request. */
  addRoute(pattern: string, bodyLimit: number): void {
    const name = interfaceOf(pattern);
    this.#longest.set(name, Math.max(bodyLimit, this.#longest.get(name) ?? 0));
  }

  /** The part of a request's body, nothing yet. */
  of(request: FastifyRequest): HeldBytes {
    const pool = this.#poolOf(interfaceOf(request.routeOptions.url ?? ''));
    return new HeldBytes(pool, sourceOf(callerAddress(request)));
  }

  #poolOf(name: string): Pool {
    const known = this.#pools.get(name);
    if (known) return known;
    const limits = this.limits ?? bodyLimitsFor(this.#longest.get(name) ?? 0);
    const pool: Pool = { limits, sources: new Map(), bytes: 0 };
    this.#pools.set(name, pool);
    return pool;
  }
}

/** `/api/v4/collections` is `api/v4`, `/rails/:token` is `rails`. */
function interfaceOf(pattern: string): string {
  const [, first = '', second = ''] = pattern.split('/');
  return first === 'api' ? `${first}/${second}` : first;
}
