import { type Logger, type Metrics } from '#infra/runtime';
import { sourceOf } from './callers.js';

/** A request that was refused, as the security log tells it: no path, no query, no header, no body. */
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
  /** Where the request named one that exists. */
  readonly credentialId?: string | undefined;
  /** Where a limit answers: what the failure was. */
  readonly failure?: string | undefined;
}

/** What a person did that bears on who may do what. */
export type SecurityEvent =
  'signed_in' | 'signed_out' | 'session_ended' | 'presence_proved' | 'presence_not_proved';

interface NotedEvent {
  readonly event: SecurityEvent;
  /** The route's pattern. */
  readonly route: string;
  readonly requestId: string;
  /** As events name people. */
  readonly personId: string | undefined;
  readonly address: string | undefined;
}

/** A limit's own answers have no bound but this log's. */
const limited = 429;

interface Bucket {
  /** Lines that may be written at once. */
  tokens: number;
  filledAtMs: number;
  /** Refusals without a line since the last one. */
  dropped: number;
}

/** Of one source and code: five lines at once, then one in ten seconds. */
const each = { burst: 5, perSecond: 0.1 };
/** Of all of them in this process. */
const all = { burst: 100, perSecond: 20 };
/** Sources and codes that are distinguished; the oldest are forgotten first. */
const maxRemembered = 10_000;

/**
 * One line for each refusal that may be an attack, as many as a log can bear: a flood shows by what its lines say was
 * dropped, and others behind it still get lines of their own.
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
    // Each of a person's has its line: their rate bounds them (POR-54).
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

  /** Ways to the issuer, and sign-outs, have bounds of their own, so each has its line. */
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
