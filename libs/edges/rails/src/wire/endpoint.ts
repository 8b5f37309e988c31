import { type Mode } from '#domain/kernel';
import { crashPoints, type Metrics } from '#infra/runtime';
import {
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhenResult,
} from 'cockatiel';
import { type Dispatcher, Pool } from 'undici';
import { exchange, type RailExchange, type Patience } from './exchange.js';

export interface EndpointOptions {
  /** Names the endpoint in metrics and crash points. */
  readonly name: string;
  readonly mode: Mode;
  /** Without a trailing slash; may have a path. */
  readonly baseUrl: string;
  readonly method: 'GET' | 'POST';
  /** Below the base URL, with its query. */
  readonly path: string;
  /** A connection carries one request at a time, so this limits the requests in flight. */
  readonly connections: number;
  readonly metrics: Metrics;
  /** True if the body is the rail's own error, not the page of a gateway or a firewall before it. */
  readonly isRailsError: (body: string) => boolean;
}

export interface EndpointRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Added to the endpoint's path. */
  readonly below?: string;
}

/** How many requests may wait for each possible connection. */
const waitingPerConnection = 4;
const connectTimeoutMs = 3000;
/**
 * Shorter than the time for which servers usually keep idle connections, so that no push is written to a closed one.
 */
const keepAliveMs = 4000;
/**
 * The number of failures in a row that opens the circuit. A rail that hangs costs each caller the whole deadline, and
 * one that is away costs retries.
 */
const failuresToOpen = 20;
const firstPauseMs = 2000;
const maxPauseMs = 30_000;
const latelyMs = 10_000;

/**
 * One of the rail's endpoints. It has its own connections, so that hanging pushes delay no query, and its own circuit
 * breaker. The circuit opens after: no connection, no answer in time, a gateway's 5xx or a firewall's 403. A connection
 * that broke after the request was sent is not counted, because it costs no time and refusing other requests would not
 * help.
 */
export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #breaker: CircuitBreakerPolicy;
  #underWay = 0;
  /** The time of the last answer from a working rail; -Infinity if the last outcome was no such answer. */
  #answeredAtMs = -Infinity;
  /** The time by the machine's clock, which also measures the circuit's pause. */
  #openedAtMs = -Infinity;
  #asking: Promise<RailExchange> | undefined;

  constructor(options: EndpointOptions) {
    this.#options = options;
    const { origin, pathname } = new URL(options.baseUrl);
    this.#path = pathname.replace(/\/$/, '') + options.path;
    this.#pool = new Pool(origin, {
      connections: options.connections,
      pipelining: 1,
      allowH2: false,
      connectTimeout: connectTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      // The exchange has deadlines of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#breaker = circuitBreaker(
      handleWhenResult((result) => this.#isFailure(result as RailExchange)),
      {
        breaker: new ConsecutiveBreaker(failuresToOpen),
        halfOpenAfter: new ExponentialBackoff({
          initialDelay: firstPauseMs,
          maxDelay: maxPauseMs,
        }),
      },
    );
    this.#showState(options);
  }

  /**
   * True if the rail answers. If it has not answered lately, or has left a request unanswered since, this sends a test
   * request to the address of the orders. The test is no order and names no person: it has no token and no body. Any
   * answer closes the circuit, except a gateway's 5xx and a firewall's 403.
   */
  async isReachable(answerWithinMs: number): Promise<boolean> {
    const isClosed = this.#breaker.state === CircuitState.Closed;
    if (isClosed && performance.now() - this.#answeredAtMs < latelyMs) return true;
    const patience = { answerWithinMs, lateWithinMs: 0 };
    this.#asking ??= this.send({ headers: {} }, patience).finally(() => {
      this.#asking = undefined;
    });
    const answer = await this.#asking;
    return answer.kind === 'answered' && !this.#isFailure(answer);
  }

  /** Sends the request once if the circuit allows it; never rejects. */
  async send(
    { headers, body, below = '' }: EndpointRequest,
    patience: Patience,
  ): Promise<RailExchange> {
    this.#endPauseOfAnotherClock();
    // While one call tests if the rail is back, the breaker would let others wait for it without a deadline.
    if (this.#breaker.state === CircuitState.HalfOpen) return circuitOpen;
    if (this.#underWay >= this.#options.connections * (1 + waitingPerConnection))
      return { kind: 'not_sent', why: 'queue_full' };
    const request: Dispatcher.DispatchOptions = {
      method: this.#options.method,
      path: this.#path + below,
      headers: { accept: 'application/json', ...headers },
      body: body ?? null,
    };
    try {
      return await this.#breaker.execute(() => this.#exchange(request, patience));
    } catch (error) {
      if (error instanceof BrokenCircuitError) return circuitOpen;
      throw error;
    }
  }

  /** Counts the request until its connection is free again, late answers included. */
  async #exchange(request: Dispatcher.DispatchOptions, patience: Patience): Promise<RailExchange> {
    this.#underWay += 1;
    crashPoints?.pass('rail', this.#options.name, 'before');
    const result = await exchange(this.#pool, request, patience);
    crashPoints?.pass('rail', this.#options.name, 'after');
    const isWell = result.kind === 'answered' && !this.#isFailure(result);
    this.#answeredAtMs = isWell ? performance.now() : -Infinity;
    const end = (): void => {
      this.#underWay -= 1;
    };
    if (result.kind === 'waiting') void result.late.then(end);
    else end();
    return result;
  }

  /** True for no answer, and for the answer of a gateway or a firewall before the rail. */
  #isFailure(result: RailExchange): boolean {
    switch (result.kind) {
      case 'not_sent':
      case 'waiting':
        return true;
      case 'lost':
        return result.why === 'timeout';
      case 'answered':
        return (
          (result.status >= 500 || result.status === 403) &&
          !this.#options.isRailsError(result.body)
        );
    }
  }

  /** Aborts the requests in flight. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #showState({ metrics, mode, name }: EndpointOptions): void {
    const gauge = metrics.gauge({
      name: 'rail_circuit_state',
      help: 'Circuit breaker of an endpoint of the rail: 0 closed, 1 half open, 2 open',
      labels: ['mode', 'endpoint'],
    });
    const show = (state: CircuitState): void => {
      gauge.set({ mode, endpoint: name }, stateNumbers[state]);
    };
    show(CircuitState.Closed);
    this.#breaker.onStateChange((state) => {
      show(state);
      if (state === CircuitState.Open) this.#openedAtMs = Date.now();
    });
  }

  /**
   * Closes a circuit whose pause a clock change made longer. The circuit then opens again at the next failure, because
   * only an answer resets the failures in a row.
   */
  #endPauseOfAnotherClock(): void {
    const isOpen = this.#breaker.state === CircuitState.Open;
    if (isOpen && Date.now() < this.#openedAtMs) this.#breaker.isolate().dispose();
  }
}

const circuitOpen = { kind: 'not_sent', why: 'circuit_open' } as const;

const stateNumbers = {
  [CircuitState.Closed]: 0,
  [CircuitState.HalfOpen]: 1,
  [CircuitState.Open]: 2,
  [CircuitState.Isolated]: 2,
} as const satisfies Record<CircuitState, number>;
