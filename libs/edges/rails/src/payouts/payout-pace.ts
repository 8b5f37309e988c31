import { Clock, type Instant, type Minor, Timer } from '#domain/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { AccountRefusals } from './account-refusals.js';
import { PayoutRails } from './payout-rails.js';
import { accountName, type RailAccount } from './rail-floats.js';

/** No more wait for their turn than a step has in flight: whoever would wait longer was promised it by another clock. */
const maxWaiting = 64;
/** What becomes due within one goes together, where the rail takes more than one: it costs much less. */
const tickMs = 50;
/** For how long a rail counts as there, and for how long one that could not be reached is left alone. */
const thereMs = 1000;
const awayMs = 5000;
const maxInFlight = 16;
/** So many orders in a row are no accident (`PayoutRails.inVain`); then each is tried so long after the one before. */
const maxInVain = 8;
const tryMs = 10_000;
/** So many refusals by results in a row: one may be told twice. */
const maxRefused = 3;

/** What is known of a rail's mode for a moment. */
interface Known<T> {
  readonly value: T;
  readonly atMs: number;
}

/**
 * When the next payout may be given to a rail: so many a second, at even distances of a twentieth or more. A rail turns away what comes faster
 * (spike arrest), and what it turns away too often is refused. It is this process's pace: each worker has the same.
 */
@Injectable()
export class PayoutPace {
  readonly #log = new Logger('payouts');
  readonly #nextMs = new Map<string, number>();
  readonly #reached = new Map<string, Known<boolean>>();
  readonly #refused = new Map<string, Known<number>>();
  /** How many orders it was given when it was last seen to take none, and since when. */
  readonly #tried = new Map<string, Known<number>>();

  constructor(
    private readonly rails: PayoutRails,
    private readonly clock: Clock,
    private readonly timer: Timer,
    private readonly refusals: AccountRefusals,
  ) {}

  /** Each is paced by itself. */
  get accounts(): readonly RailAccount[] {
    return this.rails.accounts;
  }

  /** How many payouts the rail may be given in a second. */
  perSecond({ channel, mode }: RailAccount): number {
    return this.rails.perSecond(channel, mode);
  }

  /** What the rail's own account holds, where it is known. */
  floatOf({ channel, mode }: RailAccount): Promise<Minor | undefined> {
    return this.rails.floatOf(channel, mode);
  }

  /** How many payouts may be under way to the rail at once. */
  inFlight(rail: RailAccount): number {
    return this.#isInVain(rail) ? 1 : maxInFlight;
  }

  /**
   * Whether the rail can be given payouts now, as it was found out a moment ago. A payout that was begun is not put back:
   * what finds no rail would fail, and need two people again (PAY-40).
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

  /** Where it cannot be told, what was told last goes on. */
  async #lookAtResults(rail: RailAccount): Promise<void> {
    const name = accountName(rail);
    const known = this.#refused.get(name);
    if (known && this.#isWithin(known, thereMs)) return;
    const value = (await this.refusals.inARow(rail)) ?? known?.value ?? 0;
    this.#refused.set(name, { value, atMs: this.clock.nowMs() });
  }

  /** A clock that was set back makes none wait longer. */
  #isWithin({ atMs }: Known<unknown>, ms: number): boolean {
    const agoMs = this.clock.nowMs() - atMs;
    return agoMs >= 0 && agoMs < ms;
  }

  /** Whether the rail leaves what it is ordered unanswered, or refuses whatever that is, at once or in its results. */
  #isInVain(rail: RailAccount): boolean {
    const refused = this.#refused.get(accountName(rail))?.value ?? 0;
    return this.rails.inVain(rail) >= maxInVain || refused >= maxRefused;
  }

  /**
   * Whether the rail takes no order, the last one a moment ago. It answers a request that is no order all the same; each
   * order that it is given would need people.
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

  /** Resolves when the next one may be given to the rail, or as soon as nobody waits for that any more, with the time. */
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
