import { type Verdict } from '#domain/collections';
import { type RedisStore } from '#infra/redis';
import { type Metrics } from '#infra/runtime';
import { Logger } from '@nestjs/common';
import { type RailAccount } from './rail-floats.js';

/**
 * Why a rail refuses an order that would be refused whatever was ordered: every other one would fail, too, each for good.
 */
const refusalsOfAccount: ReadonlySet<string> = new Set([
  'rail_account_inactive',
  'rail_busy',
  'rail_quota_exceeded',
  'rail_unauthorized',
]);

export function isOfAccount(failureCode: string): boolean {
  return refusalsOfAccount.has(failureCode);
}

/** Longer than a weekend in which nothing is paid out. */
const retainedMs = 7 * 24 * 3_600_000;
const stored = /^\d{1,9}$/;

/**
 * How many results in a row refused payouts for the account's sake, as where the initiator's password has ended: the
 * rail takes such orders, and refuses each a moment later. Shared by all processes, since a result comes to another one
 * than the order went from; Redis may forget it (PAY-40).
 */
export class AccountRefusals {
  private readonly log = new Logger('payouts');

  constructor(private readonly redis: Pick<RedisStore, 'get' | 'set' | 'add'>) {}

  /** Counts the rail's report about a payout. Where Redis is away, the next one is counted. */
  async record(account: RailAccount, verdict: Verdict): Promise<void> {
    if (verdict.kind === 'unresolved') return;
    const isRefused = verdict.kind === 'declined' && isOfAccount(verdict.failureCode);
    try {
      if (isRefused) await this.redis.add(keyOf(account), 1n, retainedMs);
      else if ((await this.count(account)) > 0)
        await this.redis.set(keyOf(account), '0', retainedMs);
    } catch (error) {
      this.log.warn({ msg: 'a refusal could not be counted', ...account, err: error });
    }
  }

  /** Undefined where Redis is away. */
  async inARow(account: RailAccount): Promise<number | undefined> {
    return this.count(account).catch(() => undefined);
  }

  /** @throws DependencyUnavailable */
  private async count(account: RailAccount): Promise<number> {
    const text = (await this.redis.get(keyOf(account))) ?? '';
    return stored.test(text) ? Number(text) : 0;
  }
}

function keyOf({ channel, mode }: RailAccount): string {
  return `rail-account-refusals:${channel}:${mode}`;
}

/** Refusals for the account's sake: by the rail's answer to an order, and by its result. */
export function accountRefusalsIn(metrics: Metrics) {
  return metrics.counter({
    name: 'rail_account_refusals_total',
    help: 'Payouts that the rail refused for what every other is refused for, too',
    labels: ['mode', 'by', 'why'],
  });
}
