import { type RecordedEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { actOf } from '#views/acts';
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
  name: 'acts',
  keyIs: 'position',
  columns: [
    ...['position', 'kind', 'type'].map((name) => ({ name })),
    { name: 'recorded_at', sql: instantOf('recorded_at') },
    { name: 'actor' },
    { name: 'people', sql: `array_to_string(people, ' ')` },
    ...['merchant_id', 'mode', 'stream', 'revision', 'reason', 'details'].map((name) => ({ name })),
  ],
};

/** Compares people's acts with the log. Memory: one entry per act. */
export class ActsCheck {
  readonly #expected = new Map<string, SmallRow>();
  #stored: StoredTable | undefined;

  observe(event: RecordedEvent): void {
    const act = actOf(event);
    if (!act) return;
    const position = act.position.toString();
    this.#expected.set(position, [
      ...([position, act.kind, act.type, act.recorded_at, act.actor] as const),
      ...[act.people.join(' '), act.merchant_id, act.mode],
      ...[act.stream, act.revision.toString(), act.reason, act.details],
    ]);
  }

  async read(snapshot: Queryable): Promise<void> {
    this.#stored = await readSmallTable(table, snapshot);
  }

  finish(differences: Differences): void {
    if (!this.#stored) throw new TypeError('the table of acts was not read');
    compareSmallTable(table, this.#expected, this.#stored, differences);
  }
}
