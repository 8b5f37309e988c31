/** A V4 request before it is signed. */
export interface UnsignedRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query, as sent. */
  readonly url: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
}

export interface Signer {
  readonly accessToken: string;
  readonly privateKeyPem: string;
}

/** A message to the generator's process. */
export type Order =
  /** Signs these for the next burst, in addition to the already signed ones. */
  | {
      readonly kind: 'sign';
      readonly signer: Signer;
      readonly requests: readonly UnsignedRequest[];
    }
  /** One request as its bytes (base64), to be sent this often; for requests that may be repeated. */
  | { readonly kind: 'repeat'; readonly bytes: string; readonly times: number }
  | { readonly kind: 'fire'; readonly shot: Shot }
  /** Allows this many more requests of the shot in progress. */
  | { readonly kind: 'allow'; readonly requests: number };

/** The way in which the signed requests are sent. */
export interface Shot {
  readonly port: number;
  /** Ports of further replicas, which share the connections evenly with `port`. */
  readonly replicaPorts?: readonly number[];
  /** The most requests in flight, each on its own connection. */
  readonly connections: number;
  /** No new request is sent after this long. */
  readonly withinMs: number;
  /** Requests that may be sent before the first `allow`; all of them if absent. */
  readonly allowance?: number;
  /**
   * Sends requests at this rate, even if earlier ones have no answer yet, and counts a latency from the time at which
   * the request was due. If absent, each connection sends the next request once the one before has an answer.
   */
  readonly perSecond?: number;
}

/** The outcome of a shot. */
export interface Burst {
  readonly answered: number;
  /** The number of answers by status; 0 counts the connections that broke. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** In milliseconds, ascending. */
  readonly latencies: readonly number[];
  /** Processor time of the generator itself. */
  readonly cpuSeconds: number;
  /** With a rate: what was accepted, with 202. */
  readonly accepted?: Accepted;
}

export interface Accepted {
  /** The places of the requests in the order of their signing. */
  readonly places: readonly number[];
  /** The longest time without any. */
  readonly longestGapMs: number;
}

export type Report =
  { readonly kind: 'signed' } | { readonly kind: 'fired'; readonly burst: Burst };
