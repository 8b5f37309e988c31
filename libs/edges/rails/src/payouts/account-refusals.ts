import { type Verdict } from '#domain/rails';
import { type RedisStore } from '#infra/redis';
import { type Metrics } from '#infra/runtime';
import { Logger } from '@nestjs/common';
import { type RailAccount } from './rail-floats.js';

/**
 * Refusals that concern the account, not the order. Every other order would fail for the same reason, each for good.
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

/** Longer than a weekend without payouts. */
const retainedMs = 7 * 24 * 3_600_000;
const stored = /^\d{1,9}$/;

/**
 * Counts the results in a row that refused payouts because of the account, for example because the initiator's password
 * expired. The rail takes such orders and refuses each a moment later. All processes share the count, because the
 * result may reach another process than the one that sent the order. Redis may lose it (PAY-40).
 */
export class AccountRefusals {
  private readonly log = new Logger('payouts');

  constructor(private readonly redis: Pick<RedisStore, 'get' | 'set' | 'add'>) {}

  /** Counts the rail's report about a payout. If Redis is away, this report is not counted. */
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

  /** Returns undefined if Redis is away. */
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

/** Counts refusals because of the account, both in the rail's answer to an order and in its result. */
export function accountRefusalsIn(metrics: Metrics) {
  return metrics.counter({
    name: 'rail_account_refusals_total',
    help: 'Payouts that the rail refused for what every other is refused for, too',
    labels: ['mode', 'by', 'why'],
  });
}
