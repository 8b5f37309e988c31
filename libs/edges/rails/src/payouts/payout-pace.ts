import { Clock, type Instant, type Minor, Timer } from '#domain/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { AccountRefusals } from './account-refusals.js';
import { PayoutRails } from './payout-rails.js';
import { accountName, type RailAccount } from './rail-floats.js';

/** No more payouts wait for their turn than a step has in flight. A longer wait means that the clock was changed. */
const maxWaiting = 64;
/** Payouts that become due within one tick go together if the rail takes more than one. This costs much less. */
const tickMs = 50;
/** For how long a rail counts as reachable, and for how long a rail that could not be reached is left alone. */
const thereMs = 1000;
const awayMs = 5000;
const maxInFlight = 16;
/**
 * So many unsuccessful orders in a row are no accident (`PayoutRails.inVain`). Then one order is tried every `tryMs`.
 */
const maxInVain = 8;
const tryMs = 10_000;
/** So many refusals in results in a row: a single refusal may be reported twice. */
const maxRefused = 3;

/** A value about a rail's mode that is valid for a moment. */
interface Known<T> {
  readonly value: T;
  readonly atMs: number;
}

/**
 * Decides when the next payout may be given to a rail, at even distances of a twentieth of a second or more. A rail
 * turns away faster orders (spike arrest), and refuses an order that it turned away too often. The pace is per process:
 * each worker has the same.
 */
@Injectable()
export class PayoutPace {
  readonly #log = new Logger('payouts');
  readonly #nextMs = new Map<string, number>();
  readonly #reached = new Map<string, Known<boolean>>();
  readonly #refused = new Map<string, Known<number>>();
  /** The number of orders that the rail had been given when it was last found to take none, and the time. */
  readonly #tried = new Map<string, Known<number>>();

  constructor(
    private readonly rails: PayoutRails,
    private readonly clock: Clock,
    private readonly timer: Timer,
    private readonly refusals: AccountRefusals,
  ) {}

  /** The accounts, each of which has its own pace. */
  get accounts(): readonly RailAccount[] {
    return this.rails.accounts;
  }

  /** Returns how many payouts the rail may be given in a second. */
  perSecond({ channel, mode }: RailAccount): number {
    return this.rails.perSecond(channel, mode);
  }

  /** Returns the balance of the rail's own account, if it is known. */
  floatOf({ channel, mode }: RailAccount): Promise<Minor | undefined> {
    return this.rails.floatOf(channel, mode);
  }

  /** Returns how many payouts may be under way to the rail at once. */
  inFlight(rail: RailAccount): number {
    return this.#isInVain(rail) ? 1 : maxInFlight;
  }

  /**
   * True if the rail can be given payouts now, according to a recent check. A payout that was begun is not put back: if
   * no rail is found, it fails and needs two people again (PAY-40).
   */
  async canPay(rail: RailAccount): Promise<boolean> {
    await this.#lookAtResults(rail);
    if (this.#wasTriedLately(rail)) return false;
    const name = accountName(rail);
    const known = this.#reached.get(name);
    if (known && this.#isWithin(known, known.value ? thereMs : awayMs)) return known.value;
    const canPay = await this.rails.canPay(rail);
    if (!canPay && this.#reached.get(name)?.value !== false)
      this.#log.warn({ msg: 'approved payouts wait: their rail cannot be reached', rail: name });
    this.#reached.set(name, { value: canPay, atMs: this.clock.nowMs() });
    return canPay;
  }

  /**
   * Reads how many results in a row were refusals. If the count is not available, the last known one stays in force.
   */
  async #lookAtResults(rail: RailAccount): Promise<void> {
    const name = accountName(rail);
    const known = this.#refused.get(name);
    if (known && this.#isWithin(known, thereMs)) return;
    const value = (await this.refusals.inARow(rail)) ?? known?.value ?? 0;
    this.#refused.set(name, { value, atMs: this.clock.nowMs() });
  }

  /** If the clock was set back, the value counts as expired, so that no payout waits longer. */
  #isWithin({ atMs }: Known<unknown>, ms: number): boolean {
    const agoMs = this.clock.nowMs() - atMs;
    return agoMs >= 0 && agoMs < ms;
  }

  /** True if the rail leaves orders unanswered, or refuses every order, at once or in its results. */
  #isInVain(rail: RailAccount): boolean {
    const refused = this.#refused.get(accountName(rail))?.value ?? 0;
    return this.rails.inVain(rail) >= maxInVain || refused >= maxRefused;
  }

  /**
   * True if the rail takes no orders and was given one a moment ago. Such a rail still answers other requests, and
   * every further order would need people.
   */
  #wasTriedLately(rail: RailAccount): boolean {
    if (!this.#isInVain(rail)) return false;
    const name = accountName(rail);
    const known = this.#tried.get(name);
    const given = this.rails.given(rail);
    if (known?.value === given) return this.#isWithin(known, tryMs);
    this.#tried.set(name, { value: given, atMs: this.clock.nowMs() });
    this.#log.warn({
      msg: 'approved payouts wait: their rail takes no order',
      rail: name,
      unanswered: this.rails.inVain(rail),
      refused: this.#refused.get(name)?.value,
    });
    return true;
  }

  /** Resolves with the time when the next payout may be given to the rail, or as soon as the signal is aborted. */
  async turn(rail: RailAccount, signal?: AbortSignal): Promise<Instant> {
    const gapMs = 1000 / this.perSecond(rail);
    const name = accountName(rail);
    const nowMs = this.clock.nowMs();
    const promisedMs = this.#nextMs.get(name) ?? nowMs;
    const atMs = promisedMs - nowMs > maxWaiting * gapMs ? nowMs : Math.max(nowMs, promisedMs);
    this.#nextMs.set(name, atMs + gapMs);
    if (atMs > nowMs) await this.timer.sleep(Math.ceil(atMs / tickMs) * tickMs - nowMs, signal);
    return this.clock.now();
  }
}
