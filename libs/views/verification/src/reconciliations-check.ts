import { type RecordedEvent } from '#domain/event-sourcing';
import {
  channelOf,
  type ReconciliationRecorded,
  reconciliationStream,
} from '#domain/reconciliation';
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
  name: 'reconciliations',
  keyIs: 'stream',
  columns: [
    ...['id', 'merchant_id', 'mode', 'account_no', 'currency', 'date'].map((name) => ({ name })),
    { name: 'recorded_at', sql: instantOf('recorded_at') },
    ...['operator', 'file_sha256', 'ledger_position', 'matched', 'open'].map((name) => ({ name })),
    { name: 'other_day', sql: `array_to_string(other_day, ' ')` },
    { name: 'other_day_streams', sql: `array_to_string(other_day_streams, ' ')` },
    ...['made_by', 'channel', 'revision', 'position'].map((name) => ({ name })),
  ],
};

/** Compares the reconciled days with the log. Memory: one entry per reconciliation. */
export class ReconciliationsCheck {
  readonly #expected = new Map<string, SmallRow>();
  #stored: StoredTable | undefined;

  observe({ id, data, metadata, recordedAt, ...at }: RecordedEvent<ReconciliationRecorded>): void {
    const matched = data.tallies.find(({ finding }) => finding === 'matched')?.count ?? 0;
    this.#expected.set(id, [
      ...([id, data.merchantId, data.mode, data.accountNo, data.currency, data.date] as const),
      ...[recordedAt, metadata.actor.id, data.fileSha256, data.position],
      ...[String(matched), String(data.open), data.otherDay.join(' ')],
      ...[(data.otherDayStreams ?? []).join(' '), data.by ?? null],
      channelOf(data),
      ...[at.revision.toString(), at.position.toString()],
    ]);
  }

  async read(snapshot: Queryable): Promise<void> {
    this.#stored = await readSmallTable(table, snapshot);
  }

  finish(differences: Differences): void {
    if (!this.#stored) throw new TypeError('the table of reconciliations was not read');
    compareSmallTable(table, this.#expected, this.#stored, differences);
  }
}

export function isReconciliationEvent(
  event: RecordedEvent,
): event is RecordedEvent<ReconciliationRecorded> {
  return event.stream === reconciliationStream && event.type === 'ReconciliationRecorded';
}
