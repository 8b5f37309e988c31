import { Injectable } from '@nestjs/common';
import { type Problem, sourceOf } from '#shared/http';
import { SourceFailures } from '#infra/redis';
import { type Refusal } from '../errors.js';
import { rateLimitProblem } from './rate-limit.js';

/** What counts as a failed authentication: whoever gets further has proved that they hold the private key. */
const failures: ReadonlySet<string> = new Set<Refusal>([
  'invalid_token',
  'ip_not_allowed',
  'missing_signature',
  'timestamp_expired',
  'invalid_signature',
  'invalid_nonce',
  'invalid_client',
]);

const maxRemembered = 10_000;

/**
 * Limits failed authentications per source (docs/adr/0011). Over the limit a failure is answered 429 instead of
 * by its own code. Requests that authenticate are never counted nor refused, and cost no round trip here.
 */
@Injectable()
export class SourceFailureLimit {
  /** Sources over the limit, until when, by the monotonic clock; the oldest are forgotten first. */
  readonly #refusedUntil = new Map<string, number>();

  constructor(private readonly counted: SourceFailures) {}

  /** @returns what answers the failure: itself, or rate_limited where it is one too many */
  async answerTo(failure: Problem, address: string | undefined): Promise<Problem> {
    if (!failures.has(failure.error.code)) return failure;
    const source = sourceOf(address);
    const knownMs = this.refusedForMs(source);
    if (knownMs !== undefined) return rateLimitProblem(knownMs);
    // Without Redis nothing is counted, and nothing was let in either: the failure answers for itself.
    const waitMs = await this.counted.count(source).catch(() => undefined);
    if (waitMs === undefined) return failure;
    this.remember(source, performance.now() + waitMs);
    return rateLimitProblem(waitMs);
  }

  /** What this process knows of the source: a flood costs no round trip for each of its failures. */
  private refusedForMs(source: string): number | undefined {
    const until = this.#refusedUntil.get(source);
    if (until === undefined) return undefined;
    const waitMs = until - performance.now();
    if (waitMs > 0) return waitMs;
    this.#refusedUntil.delete(source);
    return undefined;
  }

  private remember(source: string, until: number): void {
    this.#refusedUntil.delete(source);
    this.#refusedUntil.set(source, until);
    const [oldest] = this.#refusedUntil.keys();
    if (this.#refusedUntil.size > maxRemembered && oldest !== undefined)
      this.#refusedUntil.delete(oldest);
  }
}
