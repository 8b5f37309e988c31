import { type CorrectionPosted } from '#domain/corrections';
import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { balanceChanges, entriesOf, type LedgerEntry } from '#views/balances';
import { type Batch, Views } from '#views/projection';
import { type Checkpoint, CheckpointMoved } from '#views/view-set';
import { type ItemEvent, projectTransaction, type TransactionRow } from '#views/transactions';
import { type Life } from '../core/life.js';
import { type LeaseRow } from './lease.js';
import { isOfBatch, isOfPayout, isPause, isReservation, PayoutViews } from './payout-views.js';

/** The values of libs/infra/postgres: a statement's timeout and the client's extra wait. */
const deadlineMs = 7000;

/** The views as tables: the content of Postgres. */
export class ViewTables {
  checkpoint: Checkpoint = { position: 0n };
  readonly rows = new Map<string, TransactionRow>();
  readonly entries: LedgerEntry[] = [];
  /** Credits − debits, by account. */
  readonly balances = new Map<string, bigint>();
  /** Only credits, by account. */
  readonly credits = new Map<string, bigint>();
  readonly payouts = new PayoutViews();

  constructor(
    readonly lease: LeaseRow,
    private readonly onCommitted: (batch: Batch) => void,
  ) {}

  /** Runs a batch's transaction, with the functions that the SQL views use. @throws CheckpointMoved */
  commit(batch: Batch, conditions: { fence: boolean; from: boolean }): void {
    if (conditions.fence && this.lease.fence !== batch.fence)
      throw new CheckpointMoved('another projector holds the lease');
    if (conditions.from && this.checkpoint.position !== batch.from.position)
      throw new CheckpointMoved('another projector moved the checkpoint');
    this.apply(batch.events);
    this.checkpoint = batch.to;
    this.onCommitted(batch);
  }

  apply(events: readonly RecordedEvent[]): void {
    for (const event of events)
      if (isReservation(event)) this.payouts.applyReservation(event);
      else if (isOfBatch(event)) this.payouts.applyBatch(event);
      else if (isPause(event)) this.payouts.applyPause(event);
      else if (isCorrection(event)) this.#post(entriesOf(event, event.data));
      else this.#applyItem(event as RecordedEvent<ItemEvent>);
  }

  #applyItem(event: RecordedEvent<ItemEvent>): void {
    const row = projectTransaction(this.rows.get(event.stream), event);
    this.rows.set(event.stream, row);
    const { merchant_id: merchantId, mode, currency } = row;
    this.#post(entriesOf(event, { merchantId, mode, currency }));
    if (isOfPayout(event)) this.payouts.applyPayout(event, row);
  }

  #post(entries: readonly LedgerEntry[]): void {
    this.entries.push(...entries);
    for (const { account, credits_minor, debits_minor } of balanceChanges(entries)) {
      const before = this.balances.get(account) ?? 0n;
      this.balances.set(account, before + credits_minor - debits_minor);
      this.credits.set(account, (this.credits.get(account) ?? 0n) + credits_minor);
    }
  }
}

/** True for the correction that opens the accounts of a schedule with payouts. */
export function isCorrection(event: RecordedEvent): event is RecordedEvent<CorrectionPosted> {
  return event.type === 'CorrectionPosted';
}

/** The views as one projector reaches them. */
export class SimulatedViews extends Views {
  constructor(
    private readonly life: Life,
    protected readonly tables: ViewTables,
  ) {
    super();
  }

  override checkpoint(): Promise<Checkpoint> {
    return this.call('reads the checkpoint', () => this.tables.checkpoint);
  }

  override commit(batch: Batch): Promise<void> {
    const what = `commits the views from ${batch.from.position} to ${batch.to.position}`;
    return this.call(what, () => {
      this.tables.commit(batch, { fence: true, from: true });
    });
  }

  override now(): Promise<Date> {
    return this.call(
      'asks what time it is',
      () => new Date(this.life.world.nowMs),
      () => true,
    );
  }

  override noteFresh(head: Position): Promise<void> {
    const what = `notes that the views were fresh at ${head}`;
    return this.call(
      what,
      () => undefined,
      () => true,
    );
  }

  protected call<T>(
    what: string,
    serve: () => T,
    isRoutine: (answer: T) => boolean = () => false,
  ): Promise<T> {
    const unavailable = (why: string): Error => new DependencyUnavailable('postgres', why);
    return this.life.call({ server: 'records', what, serve, isRoutine, deadlineMs, unavailable });
  }
}
