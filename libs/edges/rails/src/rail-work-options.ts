import { Injectable } from '@nestjs/common';
import { Timer } from '#domain/kernel';
import { backoffMs } from '#infra/runtime';

/** After the caller was answered, a push's answer is listened for this much longer, on every rail (COL-24). */
export const lateAnswerMs = 60_000;

/**
 * On top of the longest that a push's answer can take: for recording it, which is tried for about a minute where the
 * event store is away, and for clocks that differ.
 */
const marginMs = 90_000;

/** What the settings say of the worker's steps. */
export interface RailWorkSettings {
  /** RAIL_QUERY_DELAYS. */
  readonly queryDelaysMs: readonly number[];
  /** RAIL_PUSH_TIMEOUT. */
  readonly pushTimeoutMs: number;
  /** RAIL_REVIEW_AFTER. */
  readonly reviewAfterMs: number;
  /** PAYOUT_FLOAT_WAIT; RAIL_REVIEW_AFTER unless given. */
  readonly payoutFloatWaitMs?: number;
  /** PAYOUT_MAX_AGE; three days unless given. */
  readonly payoutMaxAgeMs?: number;
  /** From 0 inclusive to 1 exclusive; Math.random unless given. */
  readonly random?: () => number;
}

/** What the worker's steps are told. */
export class RailWorkOptions implements Required<RailWorkSettings> {
  readonly queryDelaysMs: readonly number[];
  readonly pushTimeoutMs: number;
  readonly reviewAfterMs: number;
  readonly payoutFloatWaitMs: number;
  readonly payoutMaxAgeMs: number;
  readonly random: () => number;

  constructor({
    queryDelaysMs,
    pushTimeoutMs,
    reviewAfterMs,
    payoutFloatWaitMs,
    payoutMaxAgeMs = 3 * 86_400_000,
    random,
  }: RailWorkSettings) {
    this.queryDelaysMs = queryDelaysMs;
    this.pushTimeoutMs = pushTimeoutMs;
    this.reviewAfterMs = reviewAfterMs;
    this.payoutFloatWaitMs = payoutFloatWaitMs ?? reviewAfterMs;
    this.payoutMaxAgeMs = payoutMaxAgeMs;
    this.random = random ?? Math.random;
  }

  /**
   * An untrusted callback that names a rail reference which is not the collection's own waits this long: until
   * every push that was answered before has its answer recorded. Only then is it certain that the id is no
   * other collection's.
   */
  get untrustedWaitMs(): number {
    return this.pushTimeoutMs + lateAnswerMs + marginMs;
  }
}

/** Pauses between tries of the worker's steps. */
@Injectable()
export class Backoff {
  constructor(
    private readonly timer: Timer,
    private readonly options: RailWorkOptions,
  ) {}

  /** How long to wait before try number `attempt`, see `backoffMs`. */
  ms(attempt: number, firstMs: number, maxMs: number): number {
    return backoffMs(attempt, firstMs, maxMs, this.options.random);
  }

  async pause(attempt: number, firstMs: number, maxMs: number): Promise<void> {
    await this.timer.sleep(this.ms(attempt, firstMs, maxMs));
  }
}
