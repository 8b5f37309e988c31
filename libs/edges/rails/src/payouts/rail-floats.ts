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

/** The rails' floats as lately told, shared by all processes; Redis may forget them. */
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
}

function keyOf({ channel, mode }: RailAccount): string {
  return `rail-float:${channel}:${mode}`;
}
