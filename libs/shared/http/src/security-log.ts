import { type Logger, type Metrics } from '#infra/runtime';
import { sourceOf } from './callers.js';

/** A refused request in the security log: no path, query, header or body. */
interface RefusedRequest {
  readonly code: string;
  readonly status: number;
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  readonly requestId: string;
  readonly address: string | undefined;
  /** The person of the session, as events name people. */
  readonly personId?: string | undefined;
  /** Set if the request named one that exists. */
  readonly credentialId?: string | undefined;
  /** The code of the failure if a limit answered. */
  readonly failure?: string | undefined;
}

/** A person's action that affects permissions. */
export type SecurityEvent =
  'signed_in' | 'signed_out' | 'session_ended' | 'presence_proved' | 'presence_not_proved';

interface NotedEvent {
  readonly event: SecurityEvent;
  /** The route's pattern. */
  readonly route: string;
  readonly requestId: string;
  /** The person, as events name people. */
  readonly personId: string | undefined;
  readonly address: string | undefined;
}

/** Only this log limits the lines of a limit's own answers. */
const limited = 429;

interface Bucket {
  /** The number of lines that may be written at once. */
  tokens: number;
  filledAtMs: number;
  /** The number of refusals without a line since the last one. */
  dropped: number;
}

/** The rate for one source and code: five lines at once, then one in ten seconds. */
const each = { burst: 5, perSecond: 0.1 };
/** The rate for all of them in this process. */
const all = { burst: 100, perSecond: 20 };
/** The number of sources and codes that are counted separately. The oldest are forgotten first. */
const maxRemembered = 10_000;

/**
 * Writes a line for each refusal that may be an attack, up to a rate that a log can bear. A flood shows in the number
 * of dropped lines, and other sources still get lines of their own.
 */
export class SecurityLog {
  readonly #logger: Logger;
  readonly #nowMs: () => number;
  readonly #dropped;
  readonly #buckets = new Map<string, Bucket>();
  readonly #all: Bucket;

  constructor(logger: Logger, metrics: Metrics, nowMs: () => number = () => performance.now()) {
    this.#logger = logger.child({ log: 'security' });
    this.#nowMs = nowMs;
    this.#all = fullBucket(all.burst, nowMs());
    this.#dropped = metrics.counter({
      name: 'security_log_dropped_total',
      help: 'Refusals without a line of their own in the security log',
    });
  }

  refused({ address, ...refused }: RefusedRequest): void {
    const nowMs = this.#nowMs();
    // Each refusal of a signed-in person has a line, because the person's own rate limits them (POR-54).
    if (refused.personId !== undefined && refused.status !== limited) {
      this.#logger.warn({ ...refused, address: address ?? 'unknown' }, 'a request was refused');
      return;
    }
    const bucket = this.#bucketOf(`${refused.code} ${sourceOf(address)}`, nowMs);
    if (!take(bucket, each, nowMs) || !take(this.#all, all, nowMs)) {
      bucket.dropped += 1;
      this.#dropped.inc();
      return;
    }
    const { dropped } = bucket;
    bucket.dropped = 0;
    const line = { ...refused, address: address ?? 'unknown', ...(dropped > 0 && { dropped }) };
    this.#logger.warn(line, 'a request was refused');
  }

  /** Redirects to the issuer, and sign-outs, have limits of their own, so each has a line. */
  noted({ address, ...noted }: NotedEvent): void {
    this.#logger.info({ ...noted, address: address ?? 'unknown' }, 'a person acted');
  }

  #bucketOf(key: string, nowMs: number): Bucket {
    const known = this.#buckets.get(key);
    if (known) return known;
    const bucket = fullBucket(each.burst, nowMs);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > maxRemembered && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}

const fullBucket = (tokens: number, filledAtMs: number): Bucket => ({
  tokens,
  filledAtMs,
  dropped: 0,
});

function take(bucket: Bucket, { burst, perSecond }: typeof each, nowMs: number): boolean {
  const grown = ((nowMs - bucket.filledAtMs) / 1000) * perSecond;
  bucket.tokens = Math.min(burst, bucket.tokens + grown);
  bucket.filledAtMs = nowMs;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}
