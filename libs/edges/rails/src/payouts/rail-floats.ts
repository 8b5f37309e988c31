import { type Clock, type Minor, type Mode } from '#domain/kernel';
import { type RedisStore } from '#infra/redis';
import { Logger } from '@nestjs/common';

/**
 * The balance of a rail's own account when the rail was asked. It may still include amounts that were paid after that.
 */
export interface RailFloat {
  readonly minor: Minor;
  readonly asOfMs: number;
}

export interface RailAccount {
  readonly channel: string;
  readonly mode: Mode;
}

/** Returns one text for an account. */
export function accountName({ channel, mode }: RailAccount): string {
  return `${channel} ${mode}`;
}

/** An older float is ignored: a payout that starts to wait for it would wait for an unknown amount. */
const maxAgeMs = 10 * 60_000;
const stored = /^(-?\d{1,18}) (\d{1,16})$/;
/** Amounts that are sent within one moment are counted together. */
const momentMs = 1000;
/** The most by which the clock of another process may be ahead. */
const aheadMs = 2000;
const amount = /^-?\d{1,18}$/;

/** The rails' last known floats and the amounts sent since then. All processes share them; Redis may lose them. */
export class RailFloats {
  private readonly log = new Logger('rail float');

  constructor(
    private readonly redis: RedisStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Records a float. If Redis is away, the next answer is stored instead. A late answer, or an answer to a question
   * older than the last answered one, is ignored.
   */
  async tell(account: RailAccount, minor: Minor, askedAtMs?: number): Promise<void> {
    const nowMs = this.clock.nowMs();
    const asOfMs = Math.min(askedAtMs ?? nowMs, nowMs);
    if (nowMs - asOfMs > maxAgeMs) return;
    const known = await this.of(account);
    // A stored time ahead of the clock came from another clock.
    if (known && known.asOfMs > asOfMs && known.asOfMs <= nowMs) return;
    try {
      await this.redis.set(keyOf(account), `${minor} ${asOfMs}`, maxAgeMs);
    } catch (error) {
      this.log.warn({ msg: 'a float could not be kept', ...account, err: error });
    }
  }

  /** Returns undefined if the float is not known, for example because Redis is away. */
  async of(account: RailAccount): Promise<RailFloat | undefined> {
    const text = await this.redis.get(keyOf(account)).catch(() => null);
    const [, minor, asOfMs] = stored.exec(text ?? '') ?? [];
    return minor === undefined ? undefined : { minor: BigInt(minor), asOfMs: Number(asOfMs) };
  }

  /**
   * Records that a payout was given to the rail, so that no process counts on that money any more (PAY-14). If Redis is
   * away, only this process knows.
   * @param minor below zero if the rail did not take it
   */
  async spend(account: RailAccount, minor: Minor, atMs: number): Promise<void> {
    try {
      await this.redis.add(spentKeyOf(account, momentOf(atMs)), minor, maxAgeMs + aheadMs);
    } catch (error) {
      this.log.warn({
        msg: 'the amount that was sent could not be counted',
        ...account,
        err: error,
      });
    }
  }

  /**
   * Returns the amount that all processes have sent since then, in whole moments; 0 if Redis is away, and then the
   * float is not known either.
   */
  async spentSince(account: RailAccount, sinceMs: number): Promise<Minor> {
    const nowMs = this.clock.nowMs();
    const [first, last] = [
      momentOf(Math.max(sinceMs, nowMs - maxAgeMs)),
      momentOf(nowMs + aheadMs),
    ];
    const count = Math.max(0, last - first);
    const others = Array.from({ length: count }, (_, at) => spentKeyOf(account, first + at + 1));
    const texts = await this.redis
      .getAll([spentKeyOf(account, first), ...others])
      .catch((): null[] => []);
    return texts.reduce((sum, text) => sum + BigInt(amount.test(text ?? '') ? (text ?? 0) : 0), 0n);
  }
}

function momentOf(ms: number): number {
  return Math.floor(ms / momentMs);
}

function spentKeyOf({ channel, mode }: RailAccount, moment: number): string {
  return `rail-spent:${channel}:${mode}:${moment}`;
}

function keyOf({ channel, mode }: RailAccount): string {
  return `rail-float:${channel}:${mode}`;
}
