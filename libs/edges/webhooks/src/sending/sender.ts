import { crashPoints } from '#infra/runtime';
import { Pool } from 'undici';
import { exchange, type Exchanged, type ExchangeLimits } from './exchange.js';
import { type ConnectOptions, guardedConnector } from './guarded-connect.js';

/** The same bytes for every attempt and every sender. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SenderOptions extends Omit<ConnectOptions, 'timeoutMs'> {
  /** The limit for one endpoint. Each connection carries one request at a time. */
  readonly maxConnections: number;
  readonly limits?: Partial<ExchangeLimits>;
}

/** WEB-9. Once the status is known, the rest of the answer is not waited for. */
const exchangeLimits: ExchangeLimits = {
  statusWithinMs: 15_000,
  bodyWithinMs: 1000,
  maxBodyBytes: 64 * 1024,
};
/** Shorter than the time for which servers usually keep idle connections, whatever an answer's Keep-Alive says. */
const keepAliveMs = 4000;
/** A pool is dropped when no request has used it for this long. */
const idlePoolMs = 10_000;
/** The number of endpoints that keep connections at once. */
const maxPools = 1024;
const userAgent = 'PesaPost-Webhooks';

interface EndpointPool {
  readonly pool: Pool;
  inUse: number;
  idleTimer?: NodeJS.Timeout;
}

/**
 * Sends webhooks. Each endpoint has its own connections, so that one that hangs uses none of the others'. They are
 * closed when the endpoint is idle.
 */
export class WebhookSender {
  readonly #options: SenderOptions;
  readonly #limits: ExchangeLimits;
  readonly #connect;
  /** By endpoint and origin, with the last used one at the end. */
  readonly #pools = new Map<string, EndpointPool>();
  #isClosed = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#limits = { ...exchangeLimits, ...options.limits };
    this.#connect = guardedConnector({ ...options, timeoutMs: this.#limits.statusWithinMs });
  }

  /**
   * Sends the request once; never rejects.
   * @param endpoint the endpoint whose connections are used
   * @returns undefined if the sender was closed meanwhile, which says nothing about the endpoint
   */
  async send(
    endpoint: string,
    { url: text, headers, body }: WebhookRequest,
  ): Promise<Exchanged | undefined> {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const schemes = this.#options.allowPrivate ? ['https:', 'http:'] : ['https:'];
    if (!url || !schemes.includes(url.protocol))
      return { outcome: 'address_not_allowed', durationMs: 0 };
    const used = this.#take(`${endpoint} ${url.origin}`, url.origin);
    crashPoints?.pass('webhook', 'send', 'before');
    const exchanged = await exchange(
      used.pool,
      {
        method: 'POST',
        path: url.pathname + url.search,
        headers: { 'content-type': 'application/json', 'user-agent': userAgent, ...headers },
        body,
      },
      this.#limits,
    );
    crashPoints?.pass('webhook', 'send', 'after');
    this.#giveBack(`${endpoint} ${url.origin}`, used);
    return this.#isClosed && exchanged.status === undefined ? undefined : exchanged;
  }

  /** Aborts the requests in flight. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(
      pools.map(({ pool, idleTimer }) => {
        clearTimeout(idleTimer);
        return pool.destroy();
      }),
    );
  }

  #take(key: string, origin: string): EndpointPool {
    const known = this.#pools.get(key);
    const used = known ?? { pool: this.#open(origin), inUse: 0 };
    clearTimeout(used.idleTimer);
    used.inUse += 1;
    this.#pools.delete(key);
    this.#pools.set(key, used);
    if (!known) this.#dropOldest();
    return used;
  }

  #giveBack(key: string, used: EndpointPool): void {
    used.inUse -= 1;
    if (used.inUse > 0 || this.#pools.get(key) !== used) return;
    used.idleTimer = setTimeout(() => {
      this.#drop(key, used);
    }, idlePoolMs).unref();
  }

  #dropOldest(): void {
    if (this.#pools.size <= maxPools) return;
    for (const [key, used] of this.#pools)
      if (used.inUse === 0) {
        this.#drop(key, used);
        return;
      }
  }

  #drop(key: string, { pool, idleTimer }: EndpointPool): void {
    clearTimeout(idleTimer);
    this.#pools.delete(key);
    void pool.destroy();
  }

  #open(origin: string): Pool {
    return new Pool(origin, {
      connections: this.#options.maxConnections,
      pipelining: 1,
      allowH2: false,
      connect: this.#connect,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // The exchange has deadlines of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}
