import { deletePayoutNumbers } from '#records/payouts';
import { CompletePayout, payoutKeyOf } from '#domain/payouts';
import { DependencyUnavailable } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { type RetainedNumber, retainedNumbers } from '#views/payouts';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { WorkerNow } from './worker-now.js';

/** No request takes so long, so a request without a payout in the log by then never gets one. */
const oldAfterMs = 86_400_000;
const maxNumbers = 200;

/**
 * Deletes numbers that are no longer needed (PAY-15): the end of their payout could not delete them, or their request
 * was never recorded. Each step checks one page of them. A view that lags reports "over" late but never early. If the
 * view does not know a payout, the step reads the log.
 */
@Injectable()
export class PayoutNumberSweep {
  private readonly log = new Logger('payout numbers');
  private after = '';
  private readonly deleted;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly worker: WorkerNow,
    metrics: Metrics,
  ) {
    this.deleted = metrics.counter({
      name: 'payout_numbers_swept_total',
      help: 'Numbers of payouts that the worker deleted because the end of the payout had not',
    });
  }

  /**
   * @returns `busy` until all numbers are checked
   * @throws DependencyUnavailable
   */
  async step(): Promise<'idle' | 'busy'> {
    const options = { after: this.after, oldAfterMs, limit: maxNumbers };
    const page = await retainedNumbers(this.database, options);
    const over = page.filter(({ standing }) => standing === 'over').map(({ id }) => id);
    if (over.length > 0) this.deleted.inc(await deletePayoutNumbers(this.database, over));
    // If the same request comes again during the read of the log, its number is new and stays.
    const unneeded: string[] = [];
    for (const retained of page) if (await this.mayBeDeleted(retained)) unneeded.push(retained.id);
    if (unneeded.length > 0)
      this.deleted.inc(await deletePayoutNumbers(this.database, unneeded, oldAfterMs));
    this.after = page.length < maxNumbers ? '' : (page.at(-1)?.id ?? '');
    return this.after === '' ? 'idle' : 'busy';
  }

  /** A payout that cannot be read keeps its own number, but no other number. */
  private async mayBeDeleted(retained: RetainedNumber): Promise<boolean> {
    try {
      return await this.isUnneeded(retained);
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      this.log.error({ msg: 'a payout cannot be looked for', stream: retained.stream, err: error });
      return false;
    }
  }

  private async isUnneeded({ stream, standing, isOld }: RetainedNumber): Promise<boolean> {
    if (standing === 'over' || standing === 'needed' || !isOld) return false;
    return standing === 'not_its_own' || !(await this.isRecorded(stream));
  }

  private async isRecorded(stream: string): Promise<boolean> {
    const key = payoutKeyOf(stream);
    if (!key) return true;
    const command = new CompletePayout(key, this.worker.metadata());
    return (await this.commandBus.execute(command)).ok;
  }
}
