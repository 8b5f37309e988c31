import { Clock, type Instant, type Minor, Timer } from '#domain/kernel';
import { Injectable, Logger } from '@nestjs/common';
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

/**
 * When the next payout may be given to a rail: so many a second, at even distances of a twentieth or more. A rail turns away what comes faster
 * (spike arrest), and what it turns away too often is refused. It is this process's pace: each worker has the same.
 */
@Injectable()
export class PayoutPace {
  readonly #log = new Logger('payouts');
  readonly #nextMs = new Map<string, number>();
  readonly #reached = new Map<string, { readonly canPay: boolean; readonly atMs: number }>();
  /** How many orders in a row were seen to be in vain, and since when. */
  readonly #inVain = new Map<string, { readonly count: number; readonly atMs: number }>();

  constructor(
    private readonly rails: PayoutRails,
    private readonly clock: Clock,
    private readonly timer: Timer,
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
    return this.rails.inVain(rail) < maxInVain ? maxInFlight : 1;
  }

  /**
   * Whether the rail can be given payouts now, as it was found out a moment ago. A payout that was begun is not put back:
   * what finds no rail would fail, and need two people again (PAY-40).
   */
  async canPay(rail: RailAccount): Promise<boolean> {
    if (this.#wasTriedLately(rail)) return false;
    const name = accountName(rail);
    const known = this.#reached.get(name);
    if (known) {
      const agoMs = this.clock.nowMs() - known.atMs;
      // A clock that was set back makes none wait longer.
      if (agoMs >= 0 && agoMs < (known.canPay ? thereMs : awayMs)) return known.canPay;
    }
    const canPay = await this.rails.canPay(rail);
    if (!canPay && this.#reached.get(name)?.canPay !== false)
      this.#log.warn({ msg: 'approved payouts wait: their rail cannot be reached', rail: name });
    this.#reached.set(name, { canPay, atMs: this.clock.nowMs() });
    return canPay;
  }

  /**
   * Whether the rail takes no order, the last one a moment ago: it leaves them unanswered, or refuses whatever it is
   * ordered. It answers a request that is no order all the same; each order that it is given would need people.
   */
  #wasTriedLately(rail: RailAccount): boolean {
    const count = this.rails.inVain(rail);
    if (count < maxInVain) return false;
    const name = accountName(rail);
    const known = this.#inVain.get(name);
    const nowMs = this.clock.nowMs();
    if (known?.count === count) {
      const agoMs = nowMs - known.atMs;
      return agoMs >= 0 && agoMs < tryMs;
    }
    this.#inVain.set(name, { count, atMs: nowMs });
    this.#log.warn({
      msg: 'approved payouts wait: their rail takes no order',
      rail: name,
      count,
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
