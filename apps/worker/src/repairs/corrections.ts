import { CompleteCorrection, correctionKeyOf, EndCorrection } from '#domain/corrections';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { overdueCorrections, unfinishedCorrections } from '#views/balances';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { WorkerNow } from '../worker-now.js';
import { abandonedAfterMs, Repairs } from './repairs.js';

/** The limit of one step. */
const limit = 20;
/** If no one confirms a correction for this long, it is refused (COR-9). */
const waitsMs = 24 * 3_600_000;

/**
 * Posts confirmed corrections whose process died between the reservation and the posting. The view lists them, but the
 * log decides. Several workers may do it at once, because each correction is posted once.
 */
@Injectable()
export class UnfinishedCorrections {
  private readonly log = new Logger('corrections');
  private readonly repairs;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly worker: WorkerNow,
    metrics: Metrics,
  ) {
    const repaired = {
      name: 'corrections_completed_total',
      help: 'Confirmed corrections that the worker posted because the confirming process had died',
    };
    const msg = 'a correction cannot be completed';
    this.repairs = new Repairs(
      { what: 'correction', limit, log: this.log, msg, repaired },
      metrics,
    );
  }

  /** @throws DependencyUnavailable */
  step(): Promise<'idle'> {
    return this.repairs.step(
      (page) => unfinishedCorrections(this.database, { olderThanMs: abandonedAfterMs, ...page }),
      (stream) => this.complete(stream),
    );
  }

  private async complete(stream: string): Promise<void> {
    const key = correctionKeyOf(stream);
    if (!key) return;
    const command = new CompleteCorrection(key, this.worker.metadata());
    const done = await this.commandBus.execute(command);
    if (!done.ok)
      this.repairs.countFailure(stream, {
        msg: 'a reservation has no correction',
        why: done.refusal,
      });
    else if (done.value === 'completed')
      this.repairs.countRepaired(stream, 'completed a correction whose confirming process died');
    else if (done.value === 'released')
      this.log.warn({ msg: 'gave back what a correction that has ended had reserved', stream });
  }
}

/**
 * Ends corrections that were not confirmed in time. The view lists them, but the log decides. Several workers may do it
 * at once, because each ends once.
 */
@Injectable()
export class OverdueCorrections {
  private readonly repairs;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly worker: WorkerNow,
    metrics: Metrics,
  ) {
    const repaired = {
      name: 'corrections_expired_total',
      help: 'Proposed corrections that expired because no operator confirmed them within 24 hours',
    };
    const log = new Logger('corrections');
    const msg = 'a correction cannot be ended';
    this.repairs = new Repairs({ what: 'correction', limit, log, msg, repaired }, metrics);
  }

  /** @throws DependencyUnavailable */
  step(): Promise<'idle'> {
    return this.repairs.step(
      (page) => overdueCorrections(this.database, { olderThanMs: waitsMs, ...page }),
      (stream) => this.end(stream),
    );
  }

  private async end(stream: string): Promise<void> {
    const key = correctionKeyOf(stream);
    if (!key) return;
    const { worker } = this;
    const command = new EndCorrection(key, 'expired', worker.now(), worker.metadata());
    const done = await this.commandBus.execute(command);
    // A refusal means that it was confirmed meanwhile, or that this machine's clock is behind the database's.
    if (done.ok && done.value === 'ended') this.repairs.countRepaired(stream);
  }
}
