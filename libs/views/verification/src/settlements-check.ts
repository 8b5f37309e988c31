import { type RecordedEvent } from '#domain/event-sourcing';
import { type BankSettlementPosted, isSettlementStream } from '#domain/settlements';
import { type Queryable } from '#infra/postgres';
import { type Differences } from './difference.js';
import { instantOf } from './stored-lines.js';
import {
  compareSmallTable,
  readSmallTable,
  type SmallRow,
  type SmallTable,
  type StoredTable,
} from './table-check.js';

const table: SmallTable = {
  name: 'bank_settlements',
  keyIs: 'stream',
  columns: [
    ...['stream', 'channel', 'mode', 'currency', 'receipt', 'amount_minor'].map((name) => ({
      name,
    })),
    { name: 'paid_at', sql: instantOf('paid_at') },
    { name: 'told_by' },
    { name: 'recorded_at', sql: instantOf('recorded_at') },
    { name: 'position' },
  ],
};

/** Compares the movements to the bank with the log. Memory: one entry per movement. */
export class SettlementsCheck {
  readonly #expected = new Map<string, SmallRow>();
  #stored: StoredTable | undefined;

  observe(event: RecordedEvent<BankSettlementPosted>): void {
    const { stream, data, recordedAt, position } = event;
    this.#expected.set(stream, [
      ...([stream, data.channel, data.mode, data.currency, data.receipt] as const),
      ...[data.amountMinor.toString(), data.paidAt ?? null, data.by],
      ...[recordedAt, position.toString()],
    ]);
  }

  async read(snapshot: Queryable): Promise<void> {
    this.#stored = await readSmallTable(table, snapshot);
  }

  finish(differences: Differences): void {
    if (!this.#stored) throw new TypeError('the table of settlements was not read');
    compareSmallTable(table, this.#expected, this.#stored, differences);
  }
}

export function isSettlementEvent(
  event: RecordedEvent,
): event is RecordedEvent<BankSettlementPosted> {
  return isSettlementStream(event.stream) && event.type === 'BankSettlementPosted';
}
