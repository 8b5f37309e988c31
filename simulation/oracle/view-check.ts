import { type RecordedEvent } from '#domain/event-sourcing';
import { type Batch } from '#views/projection';
import { type Leg } from '#domain/ledger';
import { type ItemEvent, projectTransaction, type TransactionRow } from '#views/transactions';
import { type World } from '../core/world.js';
import { type MemoryLog } from '../servers/log.js';
import { isOfBatch, isPause, isReservation } from '../servers/payout-views.js';
import { isCorrection, type ViewTables } from '../servers/views.js';
import { invariants } from './invariants.js';

/** Compares the views with an independent fold of the log. */
export class ViewCheck {
  readonly #rows = new Map<string, TransactionRow>();
  readonly #balances = new Map<string, bigint>();
  #entries = 0;
  #position = 0;

  constructor(
    private readonly world: World,
    private readonly log: MemoryLog,
  ) {}

  committed(batch: Batch, tables: ViewTables): void {
    const { world } = this;
    if (batch.to.position <= BigInt(this.#position))
      world.violate(
        invariants.risingCheckpoint,
        `it stood at ${this.#position} and is moved to ${batch.to.position}`,
      );
    if (batch.fence !== tables.lease.fence)
      world.violate(
        invariants.leaderCommits,
        `fence ${batch.fence} commits while ${tables.lease.fence} leads`,
      );
    const touched = this.#foldTo(Number(batch.to.position));
    for (const { stream } of batch.events) touched.add(stream);
    for (const stream of touched) this.#compareRow(stream, tables);
    this.#compareBalances(tables);
  }

  /** Checks everything at the end. */
  finish(tables: ViewTables): void {
    const { world, log } = this;
    if (tables.checkpoint.position !== log.head)
      world.violate(
        invariants.viewsCatchUp,
        `they stand at ${tables.checkpoint.position}, the log ends at ${log.head}`,
      );
    this.#foldTo(Number(tables.checkpoint.position));
    for (const stream of this.#rows.keys()) this.#compareRow(stream, tables);
    this.#compareBalances(tables);
  }

  #foldTo(position: number): Set<string> {
    const touched = new Set<string>();
    const { events } = this.log;
    for (; this.#position < position; this.#position += 1) {
      const event = events[this.#position];
      if (!event) break;
      if (![isReservation, isCorrection, isOfBatch, isPause].some((is) => is(event))) {
        touched.add(event.stream);
        const item = event as RecordedEvent<ItemEvent>;
        this.#rows.set(event.stream, projectTransaction(this.#rows.get(event.stream), item));
      }
      if (!('legs' in event.data)) continue;
      for (const { account, amountMinor } of event.data.legs as readonly Leg[]) {
        this.#entries += 1;
        this.#balances.set(account, (this.#balances.get(account) ?? 0n) + amountMinor);
      }
    }
    return touched;
  }

  #compareRow(stream: string, tables: ViewTables): void {
    const [expected, row] = [this.#rows.get(stream), tables.rows.get(stream)];
    const differs = (Object.keys(expected ?? row ?? {}) as (keyof TransactionRow)[]).find(
      (column) => expected?.[column] !== row?.[column],
    );
    if (differs)
      this.world.violate(
        invariants.listIsFold,
        `${differs} of ${stream} is ${String(row?.[differs])}, by the events ${String(expected?.[differs])}`,
      );
  }

  #compareBalances(tables: ViewTables): void {
    const sums = new Map<string, bigint>();
    for (const { account, amount_minor } of tables.entries)
      sums.set(account, (sums.get(account) ?? 0n) + amount_minor);
    for (const [account, expected] of this.#balances) {
      const [balance, sum] = [tables.balances.get(account) ?? 0n, sums.get(account) ?? 0n];
      if (balance !== expected || sum !== expected)
        this.world.violate(
          invariants.balancesAreFold,
          `${account} stands at ${balance}, its entries sum to ${sum}, the events to ${expected}`,
        );
    }
    if (tables.entries.length !== this.#entries)
      this.world.violate(
        invariants.balancesAreFold,
        `there are ${tables.entries.length} entries, by the events ${this.#entries}`,
      );
  }
}
