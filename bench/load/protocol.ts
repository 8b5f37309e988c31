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

/** What the generator's process is told. */
export type Order =
  /** Signs these for the next burst, beside those that are signed already. */
  | {
      readonly kind: 'sign';
      readonly signer: Signer;
      readonly requests: readonly UnsignedRequest[];
    }
  /** One request as its bytes (base64), this often: for what may be repeated. */
  | { readonly kind: 'repeat'; readonly bytes: string; readonly times: number }
  | { readonly kind: 'fire'; readonly shot: Shot }
  /** Allows this many more requests of the shot under way. */
  | { readonly kind: 'allow'; readonly requests: number };

/** How the signed requests are sent. */
export interface Shot {
  readonly port: number;
  /** Requests in flight at most, a connection each. */
  readonly connections: number;
  /** Nothing new is sent after this long. */
  readonly withinMs: number;
  /** Requests that may be sent before the first `allow`; absent: all. */
  readonly allowance?: number;
  /**
   * Sends one every so often whether or not those before it were answered, and counts a latency from when the request
   * was due. Absent: the next one is sent on a connection as soon as the one before was answered.
   */
  readonly perSecond?: number;
}

/** The outcome of a shot. */
export interface Burst {
  readonly answered: number;
  /** How many answers had each status; 0 counts the connections that broke. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** In milliseconds, ascending. */
  readonly latencies: readonly number[];
  /** Processor time that the generator itself took. */
  readonly cpuSeconds: number;
}

export type Report =
  { readonly kind: 'signed' } | { readonly kind: 'fired'; readonly burst: Burst };
