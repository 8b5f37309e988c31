import { collectionKeyOf, FlagCollection } from '#domain/collections';
import { FlagPayout, payoutKeyOf } from '#domain/payouts';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { unflaggedReceiptConflicts } from '#views/reviews';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { WorkerNow } from '../worker-now.js';
import { Repairs } from './repairs.js';

/** The limit of one step. */
const maxReceipts = 50;

/**
 * Lists collections and payouts for review whose receipt another stream has too. The log records everything that the
 * rail reports, so one payment may be reported for two. Several workers may do it at once, because each is flagged
 * once.
 */
@Injectable()
export class SharedReceipts {
  private readonly repairs;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly worker: WorkerNow,
    metrics: Metrics,
  ) {
    const repaired = {
      name: 'receipts_shared_flagged_total',
      help: 'Collections and payouts listed for review because another stream bears their receipt',
    };
    const log = new Logger('receipts');
    const msg = 'a shared receipt cannot be flagged';
    this.repairs = new Repairs(
      { what: 'receipt', limit: maxReceipts, log, msg, repaired },
      metrics,
    );
  }

  /** @throws DependencyUnavailable */
  step(): Promise<'idle'> {
    return this.repairs.step(
      ({ limit, after }) => unflaggedReceiptConflicts(this.database, limit, after),
      (stream) => this.flag(stream),
    );
  }

  private async flag(stream: string): Promise<void> {
    if (await this.isFlagged(stream))
      this.repairs.countRepaired(stream, 'another stream has the same receipt');
  }

  /** @returns false if it was flagged before, or has no receipt any more */
  private async isFlagged(stream: string): Promise<boolean> {
    const [collection, payout] = [collectionKeyOf(stream), payoutKeyOf(stream)];
    const metadata = this.worker.metadata();
    if (collection) {
      const flag = new FlagCollection(collection, 'duplicate_receipt', metadata);
      const done = await this.commandBus.execute(flag);
      return done.ok && done.value === 'flagged';
    }
    if (!payout) return false;
    const flag = new FlagPayout(payout, 'duplicate_receipt', metadata);
    const done = await this.commandBus.execute(flag);
    return done.ok && done.value === 'flagged';
  }
}
