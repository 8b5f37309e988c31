import { type CommandMetadata } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import {
  ConfirmPayout,
  type ConfirmPayoutRefusal,
  type PayoutKey,
  type PayoutReport,
  type PayoutView,
} from '#domain/payouts';
import { Metrics } from '#infra/runtime';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { UnknownResults } from '../unknown-results.js';

/** Brings the rail's reports to payouts, and counts those that nobody knows how to read. */
@Injectable()
export class PayoutsClient {
  private readonly unknownResults;

  constructor(
    private readonly commands: CommandBus,
    metrics: Metrics,
  ) {
    this.unknownResults = new UnknownResults(metrics);
  }

  /** @throws DependencyUnavailable */
  async confirm(
    key: PayoutKey,
    report: PayoutReport,
    metadata: CommandMetadata,
  ): Promise<Result<PayoutView, ConfirmPayoutRefusal>> {
    // An untrusted sender's codes are not counted: anybody can make them up.
    if (report.isTrusted && report.verdict.kind === 'unresolved')
      this.unknownResults.count(key.mode, report.by, report.verdict.unknownCode);
    return this.commands.execute(new ConfirmPayout(key, report, metadata));
  }
}
