import { Injectable } from '@nestjs/common';
import { Timer } from '#domain/kernel';
import { backoffMs, type Settings } from '#infra/runtime';

/** How much longer, on every rail, a push's answer is awaited after the caller has its own answer (COL-24). */
export const lateAnswerMs = 60_000;

/**
 * Added to the longest time that a push's answer can take. It covers the recording, which is tried for about a minute
 * while the event store is away, and clocks that differ.
 */
const marginMs = 90_000;

/** Settings of the worker's steps. */
export interface RailWorkSettings {
  /** RAIL_QUERY_DELAYS. */
  readonly queryDelaysMs: readonly number[];
  /** RAIL_PUSH_TIMEOUT. */
  readonly pushTimeoutMs: number;
  /** RAIL_REVIEW_AFTER. */
  readonly reviewAfterMs: number;
  /** PAYOUT_FLOAT_WAIT; RAIL_REVIEW_AFTER if omitted. */
  readonly payoutFloatWaitMs?: number;
  /** PAYOUT_MAX_AGE; three days if omitted. */
  readonly payoutMaxAgeMs?: number;
  /** RAIL_BALANCE_EVERY; a day if omitted. */
  readonly balanceEveryMs?: number;
  /** RAIL_BALANCE_SETTLE; 15 minutes if omitted. */
  readonly balanceSettleMs?: number;
  /** Returns a number from 0 inclusive to 1 exclusive; Math.random if omitted. */
  readonly random?: () => number;
}

/** The options of the worker's steps, with their defaults. */
export class RailWorkOptions implements Required<RailWorkSettings> {
  readonly queryDelaysMs: readonly number[];
  readonly pushTimeoutMs: number;
  readonly reviewAfterMs: number;
  readonly payoutFloatWaitMs: number;
  readonly payoutMaxAgeMs: number;
  readonly balanceEveryMs: number;
  readonly balanceSettleMs: number;
  readonly random: () => number;

  constructor({
    queryDelaysMs,
    pushTimeoutMs,
    reviewAfterMs,
    payoutFloatWaitMs,
    payoutMaxAgeMs = 3 * 86_400_000,
    balanceEveryMs = 86_400_000,
    balanceSettleMs = 15 * 60_000,
    random,
  }: RailWorkSettings) {
    this.queryDelaysMs = queryDelaysMs;
    this.pushTimeoutMs = pushTimeoutMs;
    this.reviewAfterMs = reviewAfterMs;
    this.payoutFloatWaitMs = payoutFloatWaitMs ?? reviewAfterMs;
    this.payoutMaxAgeMs = payoutMaxAgeMs;
    this.balanceEveryMs = balanceEveryMs;
    this.balanceSettleMs = balanceSettleMs;
    this.random = random ?? Math.random;
  }

  /** The options of a process with these settings. */
  static of(settings: Settings): RailWorkOptions {
    return new RailWorkOptions({
      queryDelaysMs: settings.railQueryDelaysMs,
      pushTimeoutMs: settings.railPushTimeoutMs,
      reviewAfterMs: settings.railReviewAfterMs,
      payoutFloatWaitMs: settings.payoutFloatWaitMs,
      payoutMaxAgeMs: settings.payoutMaxAgeMs,
      balanceEveryMs: settings.railBalanceEveryMs,
      balanceSettleMs: settings.railBalanceSettleMs,
    });
  }

  /**
   * How long an untrusted callback waits if it names a rail reference that is not the collection's own. By then every
   * push that was answered before has its answer recorded. Only then is it certain that the id belongs to no other
   * collection.
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

  /** Returns how long to wait before try number `attempt`; see `backoffMs`. */
  ms(attempt: number, firstMs: number, maxMs: number): number {
    return backoffMs(attempt, firstMs, maxMs, this.options.random);
  }

  async pause(attempt: number, firstMs: number, maxMs: number): Promise<void> {
    await this.timer.sleep(this.ms(attempt, firstMs, maxMs));
  }
}
