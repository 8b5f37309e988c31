import { type Clock, type Minor, type Mode } from '#domain/kernel';
import { type RedisStore } from '#infra/redis';
import { Logger } from '@nestjs/common';

/** What a rail's own account held when the rail was asked: what was paid after that may still be in it. */
export interface RailFloat {
  readonly minor: Minor;
  readonly asOfMs: number;
}

export interface RailAccount {
  readonly channel: string;
  readonly mode: Mode;
}

/** One text for an account. */
export function accountName({ channel, mode }: RailAccount): string {
  return `${channel} ${mode}`;
}

/** An older one is as good as none: whoever begins to wait for it would wait for what nobody knows. */
const maxAgeMs = 10 * 60_000;
const stored = /^(-?\d{1,18}) (\d{1,16})$/;
/** What is sent within one is counted together. */
const momentMs = 1000;
/** By how much the clock of another process may be ahead. */
const aheadMs = 2000;
const amount = /^-?\d{1,18}$/;

/** The rails' floats as lately told, and what was sent since, shared by all processes; Redis may forget them. */
export class RailFloats {
  private readonly log = new Logger('rail float');

  constructor(
    private readonly redis: RedisStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Where Redis is away, the next answer is kept instead. The answer to an older question than the one that was answered
   * last is no news, nor is one that comes late.
   */
  async tell(account: RailAccount, minor: Minor, askedAtMs?: number): Promise<void> {
    const nowMs = this.clock.nowMs();
    const asOfMs = Math.min(askedAtMs ?? nowMs, nowMs);
    if (nowMs - asOfMs > maxAgeMs) return;
    const known = await this.of(account);
    // One that is ahead was asked for by another clock.
    if (known && known.asOfMs > asOfMs && known.asOfMs <= nowMs) return;
    try {
      await this.redis.set(keyOf(account), `${minor} ${asOfMs}`, maxAgeMs);
    } catch (error) {
      this.log.warn({ msg: 'a float could not be kept', ...account, err: error });
    }
  }

  /** Undefined where it is not known, Redis being away included. */
  async of(account: RailAccount): Promise<RailFloat | undefined> {
    const text = await this.redis.get(keyOf(account)).catch(() => null);
    const [, minor, asOfMs] = stored.exec(text ?? '') ?? [];
    return minor === undefined ? undefined : { minor: BigInt(minor), asOfMs: Number(asOfMs) };
  }

  /**
   * A payout is given to the rail: no process counts on that money any more (PAY-14). Where Redis is away, only this one
   * knows. @param minor below zero where the rail did not take it
   */
  async spend(account: RailAccount, minor: Minor, atMs: number): Promise<void> {
    try {
      await this.redis.add(spentKeyOf(account, momentOf(atMs)), minor, maxAgeMs + aheadMs);
    } catch (error) {
      this.log.warn({ msg: 'what was sent could not be counted', ...account, err: error });
    }
  }

  /** What all processes have sent from then on, whole moments; 0 where Redis is away, and the float is not known. */
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
