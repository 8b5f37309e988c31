import { type Fetch } from './http/exchange.js';
import { defaultRetries, type RetryPolicy } from './http/retry.js';
import { importPkcs8, readPkcs8Pem, type SigningKey } from './signing/private-key.js';

export interface PesaPostOptions {
  /** Scheme and host, such as https://api.example.com. Plain http only for this machine, unless `allowHttp` is set. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** PKCS#8 PEM of the RSA key. The credential was issued for its public half. */
  readonly privateKey: string;
  /** The global one if omitted. */
  readonly fetch?: Fetch;
  /** Returns Unix time in milliseconds, within 300 s of the service's; Date.now if omitted (SDK-7). */
  readonly now?: () => number;
  /**
   * The limit for each try, from the connection to the end of the answer; 20 s if omitted, twice the time of a slow
   * rail.
   */
  readonly timeoutMs?: number;
  /** Omitted members keep their defaults: 4 retries, 500 ms at first, 20 s at most. */
  readonly retries?: Partial<RetryPolicy>;
  /**
   * Allows plain http to another machine, for example inside a private network whose proxy ends TLS. Secrets are then
   * readable.
   */
  readonly allowHttp?: boolean;
}

/** Options in the form that the rest of the client reads. */
export interface Settings {
  readonly origin: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Imported once, when first needed. */
  readonly signingKey: () => Promise<SigningKey>;
  readonly fetch: Fetch;
  readonly now: () => number;
  readonly timeoutMs: number;
  readonly retries: RetryPolicy;
}

const defaultTimeoutMs = 20_000;
/** The longest time that a timer accepts. */
const maxTimeoutMs = 2_147_483_647;

/** @throws TypeError that names the option and the rule */
export function readOptions(options: PesaPostOptions): Settings {
  const { clientId, clientSecret, timeoutMs = defaultTimeoutMs } = options;
  for (const [name, text] of Object.entries({ clientId, clientSecret }))
    if (typeof text !== 'string' || text === '') throw new TypeError(`${name} is missing`);
  const pkcs8 = readPkcs8Pem(options.privateKey);
  let signingKey: Promise<SigningKey> | undefined;
  return {
    origin: readOrigin(options.baseUrl, options.allowHttp ?? false),
    clientId,
    clientSecret,
    signingKey: () => (signingKey ??= importPkcs8(pkcs8)),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    now: options.now ?? Date.now,
    timeoutMs: inRange('timeoutMs', timeoutMs, 1),
    retries: readRetries(options.retries ?? {}),
  };
}

function readRetries(given: Partial<RetryPolicy>): RetryPolicy {
  const policy = { ...defaultRetries, ...given };
  if (!Number.isInteger(policy.max) || policy.max < 0 || policy.max > 20)
    throw new TypeError('retries.max must be an integer from 0 to 20');
  inRange('retries.baseDelayMs', policy.baseDelayMs, 0);
  inRange('retries.maxDelayMs', policy.maxDelayMs, 0);
  return policy;
}

/** Checks a number of milliseconds that a timer accepts. */
export function inRange(name: string, ms: number, least: number): number {
  if (!(ms >= least && ms <= maxTimeoutMs))
    throw new TypeError(`${name} must be milliseconds from ${least} to ${maxTimeoutMs}`);
  return ms;
}

const thisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads the base URL's origin. The signature covers the path as the service sees it, so a base with a path of its own
 * could not be signed.
 */
function readOrigin(baseUrl: string, allowHttp: boolean): string {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new TypeError('baseUrl is no URL; it looks like https://api.example.com');
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '')
    throw new TypeError('baseUrl is scheme and host alone; the client adds /api/v4 itself');
  const readable = url.protocol === 'http:' && !thisMachine.test(url.hostname) && !allowHttp;
  if (readable || !['http:', 'https:'].includes(url.protocol))
    throw new TypeError('baseUrl must be https: the client secret travels in it; or set allowHttp');
  return url.origin;
}
