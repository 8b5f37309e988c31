import { CompleteCorrection, correctionKeyOf } from '#domain/corrections';
import { DependencyUnavailable } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { unfinishedCorrections } from '#views/balances';
import { Metrics, UuidIds } from '#infra/runtime';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';

/** Longer than any confirmation takes: a younger one is at work. */
const leftAfterMs = 30_000;
const maxAtOnce = 20;

/**
 * Posts confirmed corrections whose process died between the reservation and the posting. The view names them; what
 * stands is read from the log. Several workers may do it at once: each correction is posted once.
 */
@Injectable()
export class UnfinishedCorrections {
  private readonly log = new Logger('corrections');
  private readonly completed;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    metrics: Metrics,
  ) {
    this.completed = metrics.counter({
      name: 'corrections_completed_total',
      help: 'Confirmed corrections that the worker posted because the confirming process had died',
    });
  }

  /** @throws DependencyUnavailable */
  async step(): Promise<'idle' | 'busy'> {
    const limit = maxAtOnce;
    const left = await unfinishedCorrections(this.database, { olderThanMs: leftAfterMs, limit });
    for (const stream of left) await this.complete(stream);
    // A view that is behind names the same ones again: going on at once would only read them once more.
    return 'idle';
  }

  /** One that cannot be completed must not keep the others waiting. */
  private async complete(stream: string): Promise<void> {
    const key = correctionKeyOf(stream);
    if (!key) return;
    const correlationId = new UuidIds().next();
    const actor = { kind: 'system', id: 'worker' } as const;
    try {
      const done = await this.commandBus.execute(
        new CompleteCorrection(key, { correlationId, actor }),
      );
      if (!done.ok)
        this.log.error({ msg: 'a reservation has no correction', stream, why: done.refusal });
      else if (done.value === 'completed') {
        this.completed.inc();
        this.log.warn({ msg: 'completed a correction whose confirming process died', stream });
      }
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      this.log.error({ msg: 'a correction cannot be completed', stream, error: String(error) });
    }
  }
}
