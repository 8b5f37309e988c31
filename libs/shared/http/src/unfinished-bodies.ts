import { type FastifyRequest } from 'fastify';
import { type Metrics } from '#infra/runtime';
import { callerAddress, sourceOf } from './callers.js';
import { httpErrors, Problem } from './problem.js';

/** The bytes that unfinished bodies of one interface may take (ERR-16). */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxBytesPerSource: number;
}

/** How many of the longest bodies one source may leave unfinished, and how many sources may do so at once. */
const longestPerSource = 16;
const fullSources = 8;
/** Bodies are often far shorter than the longest, and many callers may share one address. */
const minBytesPerSource = 2 * 1024 * 1024;

/** @param longest the most that a route of the interface reads */
export function bodyLimitsFor(longest: number): BodyLimits {
  const maxBytesPerSource = Math.max(minBytesPerSource, longestPerSource * longest);
  return { maxBytes: fullSources * maxBytesPerSource, maxBytesPerSource };
}

/** The cost of an unfinished request itself: its head and our own objects. */
const leastBytes = 4 * 1024;

/** Node stops reading a connection when this much of a body is unread. */
export const unreadBytes = 64 * 1024;

/** The unfinished bodies of one interface. */
interface Pool {
  readonly limits: BodyLimits;
  readonly sources: Map<string, number>;
  bytes: number;
}

/** One body's share of the limits of its source and its interface. */
export class HeldBytes {
  #bytes = 0;

  constructor(
    private readonly pool: Pool,
    private readonly source: string,
  ) {}

  /** @throws Problem rate_limited if the source has too much, service_unavailable if all sources together have */
  hold(bytes: number): void {
    const { limits, sources } = this.pool;
    const more = Math.max(leastBytes, bytes) - this.#bytes;
    const ofSource = (sources.get(this.source) ?? 0) + more;
    if (ofSource > limits.maxBytesPerSource) throw tooMuch(httpErrors.rate_limited);
    if (this.pool.bytes + more > limits.maxBytes) throw tooMuch(httpErrors.service_unavailable);
    this.#add(more, ofSource);
  }

  /** Called for a chunked body when reading begins. From then on its bytes count as they arrive. */
  beginReading(): void {
    const less = Math.min(0, leastBytes - this.#bytes);
    this.#add(less, (this.pool.sources.get(this.source) ?? 0) + less);
  }

  /** Called when the body is complete or its request is over; may be called again. */
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

/** Returns the problem for a refused body. The rest of its connection is not read, so the connection ends. */
function tooMuch(error: (typeof httpErrors)['rate_limited' | 'service_unavailable']): Problem {
  return new Problem(error, { headers: { 'Retry-After': '1', Connection: 'close' } });
}

/**
 * The unfinished bodies of a process. Each interface has its own share, so that a flood of one takes nothing from the
 * others. Each client address has its own share too.
 */
export class UnfinishedBodies {
  readonly #pools = new Map<string, Pool>();
  /** For each interface, the largest body that one of its routes reads. */
  readonly #longest = new Map<string, number>();

  /** @param limits overrides of the service's limits: tests do not fill its memory */
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

  /** Adds a route that reads bodies, before the first request. */
  addRoute(pattern: string, bodyLimit: number): void {
    const name = interfaceOf(pattern);
    this.#longest.set(name, Math.max(bodyLimit, this.#longest.get(name) ?? 0));
  }

  /** Returns the share of a request's body, which is empty at first. */
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

/** Returns the interface of a route: `/api/v4/collections` is `api/v4`, `/rails/:token` is `rails`. */
function interfaceOf(pattern: string): string {
  const [, first = '', second = ''] = pattern.split('/');
  return first === 'api' ? `${first}/${second}` : first;
}
