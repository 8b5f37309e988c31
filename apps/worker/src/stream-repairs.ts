import { collectionKeyOf, FlagCollection } from '#domain/collections';
import { CompleteCorrection, correctionKeyOf, EndCorrection } from '#domain/corrections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { ReservationsContested } from '#domain/ledger';
import {
  CompletePayout,
  CompletePayoutBatch,
  FlagPayout,
  payoutBatchKeyOf,
  payoutKeyOf,
} from '#domain/payouts';
import { Clock, DependencyUnavailable, Ids, instantFromMs } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { overdueCorrections, unfinishedCorrections } from '#views/balances';
import { payoutBatchesToSettle, payoutsToSettle } from '#views/payouts';
import { unflaggedReceiptConflicts } from '#views/reviews';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';

/** Longer than any confirmation takes: a younger one is at work. */
const leftAfterMs = 30_000;
const maxCorrections = 20;
const maxReceipts = 50;
const maxPayouts = 50;
/** Each is up to a thousand payouts. */
const maxBatches = 5;

/** What a view names, and how it is told where one of it cannot be repaired. */
interface Left {
  readonly what: 'correction' | 'payout' | 'batch' | 'receipt';
  /** Of one step. */
  readonly limit: number;
  readonly log: Logger;
  readonly msg: string;
}

/**
 * Goes through what was left page by page: what cannot be repaired, what is contested, and what a view that stands still
 * names on, must not keep the rest waiting.
 */
class Repairs {
  private after = '';
  private readonly failures;

  constructor(
    private readonly left: Left,
    metrics: Metrics,
  ) {
    this.failures = metrics.counter({
      name: 'repairs_failed_total',
      help: 'Steps that a process has left and that the worker could not take, by what lacks them',
      labels: ['what'],
    });
  }

  /** One that could not be repaired: money, or a person's question, that waits for what a process left undone. */
  countFailure(): void {
    this.failures.inc({ what: this.left.what });
  }

  /** One page. @throws DependencyUnavailable */
  async step(
    find: (page: { readonly limit: number; readonly after: string }) => Promise<string[]>,
    repair: (stream: string) => Promise<void>,
  ): Promise<'idle'> {
    const { limit, log, msg } = this.left;
    const found = await find({ limit, after: this.after });
    const isFull = found.length === limit;
    this.after = isFull ? (found.at(-1) ?? '') : '';
    for (const stream of found)
      try {
        await repair(stream);
      } catch (error) {
        const isOwn = error instanceof ReservationsContested;
        if (error instanceof DependencyUnavailable && !isOwn) throw error;
        this.countFailure();
        log.error({ msg, stream, error: String(error) });
      }
    // A view that is behind names the same ones again: going on at once would only read them once more.
    return 'idle';
  }
}

/**
 * Posts confirmed corrections whose process died between the reservation and the posting. The view names them; what
 * stands is read from the log. Several workers may do it at once: each correction is posted once.
 */
@Injectable()
export class UnfinishedCorrections {
  private readonly log = new Logger('corrections');
  private readonly completed;
  private readonly repairs;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly ids: Ids,
    metrics: Metrics,
  ) {
    this.repairs = new Repairs(
      {
        what: 'correction',
        limit: maxCorrections,
        log: this.log,
        msg: 'a correction cannot be completed',
      },
      metrics,
    );
    this.completed = metrics.counter({
      name: 'corrections_completed_total',
      help: 'Confirmed corrections that the worker posted because the confirming process had died',
    });
  }

  /** @throws DependencyUnavailable */
  step(): Promise<'idle'> {
    return this.repairs.step(
      (page) => unfinishedCorrections(this.database, { olderThanMs: leftAfterMs, ...page }),
      (stream) => this.complete(stream),
    );
  }

  private async complete(stream: string): Promise<void> {
    const key = correctionKeyOf(stream);
    if (!key) return;
    const done = await this.commandBus.execute(
      new CompleteCorrection(key, workerMetadata(this.ids)),
    );
    if (!done.ok) {
      this.repairs.countFailure();
      this.log.error({ msg: 'a reservation has no correction', stream, why: done.refusal });
    } else if (done.value === 'completed') {
      this.completed.inc();
      this.log.warn({ msg: 'completed a correction whose confirming process died', stream });
    } else if (done.value === 'released')
      this.log.warn({ msg: 'gave back what a correction that has ended had reserved', stream });
  }
}

/** Nobody confirmed it for so long: silence refuses (COR-9). */
const waitsMs = 24 * 3_600_000;

/** What each of the worker's commands carries: when, and in whose name. */
@Injectable()
export class WorkerNow {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  taken() {
    return { now: instantFromMs(this.clock.nowMs()), metadata: workerMetadata(this.ids) };
  }
}

/**
 * Ends corrections that nobody confirmed in time. The view names them; what stands is read from the log. Several workers
 * may do it at once: each ends once.
 */
@Injectable()
export class OverdueCorrections {
  private readonly log = new Logger('corrections');
  private readonly ended;
  private readonly repairs;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly now: WorkerNow,
    metrics: Metrics,
  ) {
    this.repairs = new Repairs(
      {
        what: 'correction',
        limit: maxCorrections,
        log: this.log,
        msg: 'a correction cannot be ended',
      },
      metrics,
    );
    this.ended = metrics.counter({
      name: 'corrections_expired_total',
      help: 'Proposed corrections that ended because nobody confirmed them within 24 hours',
    });
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
    const { now, metadata } = this.now.taken();
    const done = await this.commandBus.execute(new EndCorrection(key, 'expired', now, metadata));
    // Refused: it was confirmed meanwhile, or this machine's clock is behind the database's.
    if (done.ok && done.value === 'ended') this.ended.inc();
  }
}

/**
 * Gives collections and payouts to people whose receipt another stream bears: what the rail tells is always written
 * down, so one payment may have been told for two. Several workers may do it at once; each is flagged once.
 */
@Injectable()
export class SharedReceipts {
  private readonly log = new Logger('receipts');
  private readonly flagged;
  private readonly repairs;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly ids: Ids,
    metrics: Metrics,
  ) {
    this.repairs = new Repairs(
      {
        what: 'receipt',
        limit: maxReceipts,
        log: this.log,
        msg: 'a shared receipt cannot be flagged',
      },
      metrics,
    );
    this.flagged = metrics.counter({
      name: 'receipts_shared_flagged_total',
      help: 'Collections and payouts listed for review because another stream bears their receipt',
    });
  }

  /** @throws DependencyUnavailable */
  step(): Promise<'idle'> {
    return this.repairs.step(
      ({ limit, after }) => unflaggedReceiptConflicts(this.database, limit, after),
      (stream) => this.flag(stream),
    );
  }

  private async flag(stream: string): Promise<void> {
    if (!(await this.isFlagged(stream))) return;
    this.flagged.inc();
    this.log.warn({ msg: 'a receipt stands in another stream as well', stream });
  }

  /** @returns false where it was flagged before, or has no receipt any more */
  private async isFlagged(stream: string): Promise<boolean> {
    const [collection, payout] = [collectionKeyOf(stream), payoutKeyOf(stream)];
    const metadata = workerMetadata(this.ids);
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

/**
 * Takes the steps that a process that died has left of payouts, between their streams and their wallets' reservations.
 * Several workers may do it at once: each step is taken once.
 */
@Injectable()
export class UnfinishedPayouts {
  private readonly log = new Logger('payouts');
  private readonly settled;
  private readonly repairs;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly ids: Ids,
    metrics: Metrics,
  ) {
    this.repairs = new Repairs(
      { what: 'payout', limit: maxPayouts, log: this.log, msg: 'a payout cannot be settled' },
      metrics,
    );
    this.settled = metrics.counter({
      name: 'payouts_settled_total',
      help: 'Payouts that the worker looked after because a step was missing for half a minute',
    });
  }

  /** @throws DependencyUnavailable */
  step(): Promise<'idle'> {
    return this.repairs.step(
      (page) => payoutsToSettle(this.database, { olderThanMs: leftAfterMs, ...page }),
      (stream) => this.settle(stream),
    );
  }

  private async settle(stream: string): Promise<void> {
    const key = payoutKeyOf(stream);
    if (!key) return;
    const done = await this.commandBus.execute(new CompletePayout(key, workerMetadata(this.ids)));
    if (!done.ok) {
      this.repairs.countFailure();
      this.log.error({ msg: 'a reservation has no payout', stream, why: done.refusal });
      return;
    }
    this.settled.inc();
    this.log.warn({ msg: 'looked after a payout that a process has left', stream });
  }
}

/**
 * Finishes batches of payouts that a process has left, or brings their rejection to the end (PAY-17). Several workers
 * may do it at once: each step is taken once.
 */
@Injectable()
export class UnfinishedPayoutBatches {
  private readonly log = new Logger('payouts');
  private readonly settled;
  private readonly repairs;

  constructor(
    private readonly database: Database,
    private readonly commandBus: CommandBus,
    private readonly ids: Ids,
    metrics: Metrics,
  ) {
    this.repairs = new Repairs(
      {
        what: 'batch',
        limit: maxBatches,
        log: this.log,
        msg: 'a batch of payouts cannot be settled',
      },
      metrics,
    );
    this.settled = metrics.counter({
      name: 'payout_batches_settled_total',
      help: 'Batches of payouts that the worker looked after because their payouts had not followed for half a minute',
    });
  }

  /** @throws DependencyUnavailable */
  step(): Promise<'idle'> {
    return this.repairs.step(
      (page) => payoutBatchesToSettle(this.database, { olderThanMs: leftAfterMs, ...page }),
      (stream) => this.settle(stream),
    );
  }

  private async settle(stream: string): Promise<void> {
    const key = payoutBatchKeyOf(stream);
    if (!key) return;
    await this.commandBus.execute(new CompletePayoutBatch(key, workerMetadata(this.ids)));
    this.settled.inc();
    this.log.warn({ msg: 'looked after a batch of payouts that a process has left', stream });
  }
}

function workerMetadata(ids: Ids): CommandMetadata {
  return { correlationId: ids.next(), actor: { kind: 'system', id: 'worker' } };
}
