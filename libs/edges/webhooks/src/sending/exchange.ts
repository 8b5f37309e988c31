import { type ExchangeOutcome } from '#records/webhooks';
import { type Dispatcher } from 'undici';
import { AddressNotAllowed } from './guarded-connect.js';

export interface Exchanged {
  readonly outcome: ExchangeOutcome;
  /** Absent if none came. */
  readonly status?: number;
  /** Time until the status was known, or until it was certain that none comes. */
  readonly durationMs: number;
}

export interface ExchangeLimits {
  /** The limit from the start, the connection included, to the status. */
  readonly statusWithinMs: number;
  /** The limit from the status to the end of the answer's body. After that the connection is cut. */
  readonly bodyWithinMs: number;
  readonly maxBodyBytes: number;
}

/** Sends one request, once, and discards the answer's body; never rejects. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    dispatcher.dispatch(request, new Call(limits, resolve));
  });
}

class Call implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now();
  readonly #limits: ExchangeLimits;
  readonly #settle: (exchanged: Exchanged) => void;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  /** The result so far: the status, once it arrived. */
  #known: Exchanged | undefined;
  #bytes = 0;
  #isOver = false;

  constructor(limits: ExchangeLimits, settle: (exchanged: Exchanged) => void) {
    this.#limits = limits;
    this.#settle = settle;
    this.#timer = setTimeout(() => {
      this.#end('timeout');
    }, limits.statusWithinMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('given up'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    // An informational answer (1xx) comes before the one that counts.
    if (status < 200 || this.#isOver) return;
    this.#known = { outcome: outcomeOf(status), status, durationMs: this.#elapsedMs() };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#end('timeout');
    }, this.#limits.bodyWithinMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.maxBodyBytes) this.#end('connection');
  }

  onResponseEnd(): void {
    this.#controller = undefined;
    this.#end('connection');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(failureOf(error));
  }

  /**
   * Ends the exchange. Once the status has arrived, it counts whatever happens later.
   * @param otherwise the outcome if none came
   */
  #end(otherwise: ExchangeOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#settle(this.#known ?? { outcome: otherwise, durationMs: this.#elapsedMs() });
    // A request that is under way closes its connection; a complete one leaves it to the next request.
    this.#controller?.abort(new Error('given up'));
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

/**
 * The statuses from 400 to 499 that concern the endpoint, whatever is sent to it: it does not exist, it admits no
 * caller, or it has too much to do. Any other one concerns the event that it answers (WEB-10).
 */
const ofTheEndpoint: ReadonlySet<number> = new Set([
  401, 403, 404, 405, 407, 408, 421, 425, 426, 429, 451,
]);

function outcomeOf(status: number): ExchangeOutcome {
  if (status < 300) return 'delivered';
  if (status < 400) return 'redirect';
  if (status === 410) return 'gone';
  return status < 500 && !ofTheEndpoint.has(status) ? 'refused' : 'status';
}

/** OpenSSL's codes for a failed handshake and for untrusted certificates. */
const ofTls =
  /^(ERR_SSL_|ERR_TLS_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$|PATH_LENGTH_)/;

function failureOf(error: Error): ExchangeOutcome {
  if (error instanceof AddressNotAllowed) return 'address_not_allowed';
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout';
  return ofTls.test(code) ? 'tls' : 'connection';
}
