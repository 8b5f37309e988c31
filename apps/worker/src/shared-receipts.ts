import { collectionKeyOf, FlagCollection } from '#domain/collections';
import { DependencyUnavailable } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { unflaggedReceiptConflicts } from '#views/reviews';
import { Metrics, UuidIds } from '#infra/runtime';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';

const maxAtOnce = 50;

/**
 * Gives collections to people whose receipt another stream bears: what the rail tells is always written down, so one
 * payment may have been told for two. Several workers may do it at once; each collection is flagged once.
 */
@Injectable()
export class SharedReceipts {
  private readonly log = new Logger('receipts');
  private readonly flagged;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    metrics: Metrics,
  ) {
    this.flagged = metrics.counter({
      name: 'receipts_shared_flagged_total',
      help: 'Collections listed for review because another stream bears their receipt',
    });
  }

  /** @throws DependencyUnavailable */
  async step(): Promise<'idle' | 'busy'> {
    for (const stream of await unflaggedReceiptConflicts(this.database, maxAtOnce))
      await this.flag(stream);
    // A view that is behind names the same ones again: going on at once would only read them once more.
    return 'idle';
  }

  /** One that cannot be flagged must not keep the others waiting. */
  private async flag(stream: string): Promise<void> {
    const key = collectionKeyOf(stream);
    if (!key) return;
    const correlationId = new UuidIds().next();
    const metadata = { correlationId, actor: { kind: 'system', id: 'worker' } } as const;
    try {
      const done = await this.commandBus.execute(
        new FlagCollection(key, 'duplicate_receipt', metadata),
      );
      if (!done.ok || done.value !== 'flagged') return;
      this.flagged.inc();
      this.log.warn({ msg: 'a receipt stands in another stream as well', stream });
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      this.log.error({ msg: 'a shared receipt cannot be flagged', stream, error: String(error) });
    }
  }
}
