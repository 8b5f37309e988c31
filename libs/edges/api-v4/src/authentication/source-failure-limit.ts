import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
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
  /** Sources over the limit, for as long as they are: a flood costs no round trip for each of its failures. */
  readonly #refused = new LRUCache<string, true>({ max: maxRemembered });

  constructor(private readonly counted: SourceFailures) {}

  /** @returns what answers the failure: itself, or rate_limited where it is one too many */
  async answerTo(failure: Problem, address: string | undefined): Promise<Problem> {
    if (!failures.has(failure.error.code)) return failure;
    const source = sourceOf(address);
    const knownMs = this.#refused.getRemainingTTL(source);
    if (knownMs > 0) return rateLimitProblem(knownMs);
    // Without Redis nothing is counted, and nothing was let in either: the failure answers for itself.
    const waitMs = await this.counted.count(source).catch(() => undefined);
    if (waitMs === undefined) return failure;
    this.#refused.set(source, true, { ttl: waitMs });
    return rateLimitProblem(waitMs);
  }
}
