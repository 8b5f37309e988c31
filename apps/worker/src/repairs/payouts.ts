import {
  CompletePayout,
  CompletePayoutBatch,
  payoutBatchKeyOf,
  payoutKeyOf,
} from '#domain/payouts';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { payoutBatchesToSettle, payoutsToSettle } from '#views/payouts';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { WorkerNow } from '../worker-now.js';
import { abandonedAfterMs, Repairs } from './repairs.js';

/** The limit of one step. */
const maxPayouts = 50;
/** A batch has up to a thousand payouts. */
const maxBatches = 5;

/**
 * Completes steps of payouts that a dead process left between the payouts' streams and their wallets' reservations.
 * Several workers may do it at once, because each step is taken once.
 */
@Injectable()
export class UnfinishedPayouts {
  private readonly repairs;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly worker: WorkerNow,
    metrics: Metrics,
  ) {
    const repaired = {
      name: 'payouts_settled_total',
      help: 'Payouts that the worker looked after because a step was missing for half a minute',
    };
    const log = new Logger('payouts');
    const msg = 'a payout cannot be settled';
    this.repairs = new Repairs({ what: 'payout', limit: maxPayouts, log, msg, repaired }, metrics);
  }

  /** @throws DependencyUnavailable */
  step(): Promise<'idle'> {
    return this.repairs.step(
      (page) => payoutsToSettle(this.database, { olderThanMs: abandonedAfterMs, ...page }),
      (stream) => this.settle(stream),
    );
  }

  private async settle(stream: string): Promise<void> {
    const key = payoutKeyOf(stream);
    if (!key) return;
    const done = await this.commandBus.execute(new CompletePayout(key, this.worker.metadata()));
    if (done.ok && done.value === 'kept') return;
    if (done.ok)
      this.repairs.countRepaired(stream, 'looked after a payout that a process has left');
    else
      this.repairs.countFailure(stream, { msg: 'a reservation has no payout', why: done.refusal });
  }
}

/**
 * Finishes batches of payouts that a process left, or completes their rejection (PAY-17). Several workers may do it at
 * once, because each step is taken once.
 */
@Injectable()
export class UnfinishedPayoutBatches {
  private readonly repairs;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly worker: WorkerNow,
    metrics: Metrics,
  ) {
    const repaired = {
      name: 'payout_batches_settled_total',
      help: 'Batches of payouts that the worker looked after because their payouts had not followed for half a minute',
    };
    const log = new Logger('payouts');
    const msg = 'a batch of payouts cannot be settled';
    this.repairs = new Repairs({ what: 'batch', limit: maxBatches, log, msg, repaired }, metrics);
  }

  /** @throws DependencyUnavailable */
  step(): Promise<'idle'> {
    return this.repairs.step(
      (page) => payoutBatchesToSettle(this.database, { olderThanMs: abandonedAfterMs, ...page }),
      (stream) => this.settle(stream),
    );
  }

  private async settle(stream: string): Promise<void> {
    const key = payoutBatchKeyOf(stream);
    if (!key) return;
    const done = await this.commandBus.execute(
      new CompletePayoutBatch(key, this.worker.metadata()),
    );
    if (done.ok && done.value === 'kept') return;
    this.repairs.countRepaired(stream, 'looked after a batch of payouts that a process has left');
  }
}
