import { type Fetch } from './http/exchange.js';
import { defaultRetries, type RetryPolicy } from './http/retry.js';
import { importPkcs8, readPkcs8Pem, type SigningKey } from './signing/private-key.js';

export interface PesaPostOptions {
  /** Scheme and host, such as https://api.example.com. Plain http for this machine alone, unless `allowHttp`. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** PKCS#8 PEM of the RSA key whose public half the credential was issued for. */
  readonly privateKey: string;
  /** Where left out, the global one. */
  readonly fetch?: Fetch;
  /** Unix time in milliseconds, within 300 s of the service's; where left out, Date.now. */
  readonly now?: () => number;
  /** For each try, from the connection to the end of the answer; 20 s where left out, twice what a slow rail takes. */
  readonly timeoutMs?: number;
  /** What is left out keeps its default: 4 retries, 500 ms at first, 20 s at most. */
  readonly retries?: Partial<RetryPolicy>;
  /** Plain http to another machine, as inside a private network whose proxy ends TLS. Secrets travel readable. */
  readonly allowHttp?: boolean;
}

/** Options as the rest of the client reads them. */
export interface Settings {
  readonly origin: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Imported when first needed, once. */
  readonly signingKey: () => Promise<SigningKey>;
  readonly fetch: Fetch;
  readonly now: () => number;
  readonly timeoutMs: number;
  readonly retries: RetryPolicy;
}

const defaultTimeoutMs = 20_000;
/** What a timer can hold. */
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

/** A number of milliseconds that a timer can hold. */
export function inRange(name: string, ms: number, least: number): number {
  if (!(ms >= least && ms <= maxTimeoutMs))
    throw new TypeError(`${name} must be milliseconds from ${least} to ${maxTimeoutMs}`);
  return ms;
}

const thisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The signature covers the path as the service sees it, so that a base with a path of its own could not be signed. */
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
