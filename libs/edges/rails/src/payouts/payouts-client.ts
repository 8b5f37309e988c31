import { type CommandMetadata } from '#domain/event-sourcing';
import { Ids, type Instant, type Mode, type Result } from '#domain/kernel';
import {
  ConfirmPayout,
  type ConfirmPayoutRefusal,
  ExpireApproval,
  FlagPayout,
  type FlagPayoutReason,
  type PayoutKey,
  type PayoutReport,
  type PayoutView,
  type Sending,
  SendPayout,
} from '#domain/payouts';
import { Metrics, tracing } from '#infra/runtime';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AccountRefusals, accountRefusalsIn, isOfAccount } from './account-refusals.js';
import { type RailAccount } from './rail-floats.js';
import { UnknownResults } from '../report-metrics.js';
import { traceReport } from '../trace-report.js';

/** Sends the commands of the rail's edge and the worker to payouts. Counts reports that cannot be read. */
@Injectable()
export class PayoutsClient {
  private readonly unknownResults;
  private readonly refused;
  private readonly flagged;
  private readonly expired;

  constructor(
    private readonly commands: CommandBus,
    private readonly ids: Ids,
    private readonly refusals: AccountRefusals,
    metrics: Metrics,
  ) {
    this.unknownResults = new UnknownResults(metrics);
    this.refused = accountRefusalsIn(metrics);
    this.flagged = metrics.counter({
      name: 'payouts_flagged_total',
      help: 'Payouts that a worker listed for review, by the reason',
      labels: ['why'],
    });
    this.expired = metrics.counter({
      name: 'payout_approvals_expired_total',
      help: 'Approvals that no longer count, so that the payout needs a new one, by the reason',
      labels: ['why'],
    });
  }

  /** @param channel the rail that sent the report. @throws DependencyUnavailable */
  async confirm(
    key: PayoutKey,
    report: PayoutReport,
    metadata: CommandMetadata,
    channel: string,
  ): Promise<Result<PayoutView, ConfirmPayoutRefusal>> {
    // An untrusted sender's codes are not counted: anyone can make them up.
    if (report.isTrusted && report.verdict.kind === 'unresolved')
      this.unknownResults.count(key.mode, report.by, report.verdict.unknownCode);
    const since = tracing && performance.now();
    const confirmed = await this.commands.execute(new ConfirmPayout(key, report, metadata));
    if (since !== undefined && confirmed.ok)
      traceReport({ by: report.by, mode: key.mode, since }, confirmed.value);
    if (!confirmed.ok || !report.isTrusted) return confirmed;
    this.countRefusal(key.mode, report);
    if (!confirmed.value.isReversal) await this.heard({ channel, mode: key.mode }, report);
    return confirmed;
  }

  /** @throws DependencyUnavailable: nothing was sent */
  send(key: PayoutKey, sending: SendPayout['sending']): Promise<Result<Sending, 'unknown_payout'>> {
    return this.commands.execute(new SendPayout(key, sending, this.byWorker()));
  }

  /** Lists the payout for review if the reason still applies. @throws DependencyUnavailable */
  async flag(
    key: PayoutKey,
    why: FlagPayoutReason,
  ): Promise<Result<'flagged' | 'unchanged', 'unknown_payout'>> {
    const done = await this.commands.execute(new FlagPayout(key, why, this.byWorker()));
    if (done.ok && done.value === 'flagged') this.flagged.inc({ why });
    return done;
  }

  /** Sends it back to its approvers, if its approval is too old. @throws DependencyUnavailable */
  async expire(
    key: PayoutKey,
    now: Instant,
  ): Promise<Result<'expired' | 'unchanged', 'unknown_payout'>> {
    const done = await this.commands.execute(new ExpireApproval(key, now, this.byWorker()));
    if (done.ok && done.value === 'expired') this.expired.inc({ why: 'age' });
    return done;
  }

  /**
   * Records what a report says about the account. An answer to a status query gives no such reason; it counts only if
   * it says "paid".
   */
  private async heard(account: RailAccount, { by, verdict }: PayoutReport): Promise<void> {
    if (by === 'query' && verdict.kind !== 'paid') return;
    await this.refusals.record(account, verdict);
  }

  private countRefusal(mode: Mode, { by, verdict }: PayoutReport): void {
    if (by === 'query' || verdict.kind !== 'declined' || !isOfAccount(verdict.failureCode)) return;
    this.refused.inc({ mode, by: 'result', why: verdict.failureCode });
  }

  private byWorker(): CommandMetadata {
    return { correlationId: this.ids.next(), actor: { kind: 'system', id: 'worker' } };
  }
}
