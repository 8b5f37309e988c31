import { type CollectionEvent } from '#collections';
import { type EventStore, type RecordedEvent, UnreadableEvent } from '#event-sourcing';
import { type Queryable } from '#postgres';
import { type TransactionRow } from '../transactions/item.js';
import { type Differences } from './difference.js';
import {
  agrees,
  fold,
  type Folded,
  listLineAt,
  listLines,
  nameExtra,
  nameFields,
} from './list-lines.js';
import { fieldEnd, StoredLines } from './stored-lines.js';

/** A collection whose events, as far as they were read, do not yet say what its row says. */
interface Held {
  folded: Folded;
  /** Undefined where the view has no row; that is named already. */
  readonly stored: string | undefined;
}

/**
 * The stream up to its end or to an event that nobody can read, at which its merchant stands still. The latter is
 * found by the log, which is slow and rare.
 */
async function readableStream(
  store: EventStore,
  stream: string,
): Promise<readonly RecordedEvent<CollectionEvent>[]> {
  try {
    return await store.readStream<CollectionEvent>(stream);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
  }
  const events: RecordedEvent<CollectionEvent>[] = [];
  try {
    for await (const event of store.readAll('start', [stream]))
      if (event.stream === stream) events.push(event as RecordedEvent<CollectionEvent>);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
  }
  return events;
}

export interface ListCheckOptions {
  readonly store: EventStore;
  readonly transaction: Queryable;
  readonly differences: Differences;
  /** Whether the event is in the views: not behind the checkpoint, nor held back. */
  readonly isIn: (event: RecordedEvent) => boolean;
  /** Collections held at most. */
  readonly mostHeld: number;
}

/** Streams read at once where collections have to be folded from their own streams. */
const readsAtOnce = 16;

/**
 * The transaction list, with the rail queries and the reviews that hang on it, against the fold of the log.
 *
 * Rows stand in the order of their intents, so a cursor hands each collection its row when its intent is met. A
 * collection is held while its events differ from its row and let go as soon as they agree: the row is the state at
 * the checkpoint, so mostly no event follows. One that does follow brings the collection back, folded from its own
 * stream. Where too many are held the oldest are folded from their streams at once; so memory is bounded and nothing
 * is left out, whatever the history: what is unusual costs a read of a stream or two.
 */
export class ListCheck {
  compared = 0;
  readonly #held = new Map<string, Held>();

  private constructor(
    private readonly options: ListCheckOptions,
    private readonly lines: StoredLines,
  ) {}

  static async begin(options: ListCheckOptions): Promise<ListCheck> {
    return new ListCheck(options, await StoredLines.open(options.transaction, 'list', listLines));
  }

  /**
   * Waits for nobody as long as rows come as the log expects them.
   * @returns the collection's row after the event
   */
  apply(event: RecordedEvent<CollectionEvent>): TransactionRow | Promise<TransactionRow> {
    const { stream, position } = event;
    const held = this.#held.get(stream);
    if (held) {
      held.folded = fold(held.folded, event);
      if (this.#isDone(held)) this.#held.delete(stream);
      return held.folded.row;
    }
    const line = this.lines.atHand;
    if (event.type !== 'CollectionIntentRecorded' || !line?.startsWith(`${position}${fieldEnd}`))
      return this.#applyUnexpected(event);
    this.lines.advance();
    return this.#begun(event, line);
  }

  async finish(): Promise<void> {
    const { transaction, differences } = this.options;
    for (const held of this.#held.values()) this.#name(held);
    for await (const line of this.lines.rest()) nameExtra(line, differences);
    for (const table of ['rail_queries', 'reviews'] as const) {
      const strays = `select t.stream as line from ${table} t
        where not exists (select 1 from transactions where stream = t.stream)`;
      for await (const stream of (await StoredLines.open(transaction, table, strays)).rest())
        differences.add({ table, stream, field: 'row', expected: null, found: 'a row' });
    }
    for (const table of ['transaction_listings', 'rail_references', 'receipts'] as const) {
      const strays = `select t.position::text as line from ${table} t
        where not exists (select 1 from transactions where position = t.position)`;
      for await (const position of (await StoredLines.open(transaction, table, strays)).rest())
        differences.add({ table, position, field: 'row', expected: null, found: 'a row' });
    }
  }

  async #applyUnexpected(event: RecordedEvent<CollectionEvent>): Promise<TransactionRow> {
    if (event.type === 'CollectionIntentRecorded')
      return this.#begun(event, await this.#rowOf(event));
    return this.#hold(await this.#broughtBack(event));
  }

  #begun(
    event: RecordedEvent<CollectionEvent>,
    stored: string | undefined,
  ): TransactionRow | Promise<TransactionRow> {
    this.compared += 1;
    return this.#hold({ folded: fold(undefined, event), stored });
  }

  #hold(held: Held): TransactionRow | Promise<TransactionRow> {
    const { row } = held.folded;
    if (this.#isDone(held)) return row;
    this.#held.set(row.stream, held);
    return this.#held.size > this.options.mostHeld ? this.#letGo().then(() => row) : row;
  }

  #isDone({ folded, stored }: Held): boolean {
    return stored !== undefined && agrees(folded, stored);
  }

  /** The row of an intent, by the merge of two lists in the order of the log. */
  async #rowOf({ position, stream }: RecordedEvent): Promise<string | undefined> {
    const { differences } = this.options;
    for (;;) {
      const line = await this.lines.peek();
      const at = line === undefined ? undefined : BigInt(line.slice(0, line.indexOf(fieldEnd)));
      if (line === undefined || at === undefined || at > position) {
        const where = { table: 'transactions', position: position.toString(), stream };
        differences.add({ ...where, field: 'row', expected: 'a row', found: null });
        return undefined;
      }
      this.lines.advance();
      if (at === position) return line;
      nameExtra(line, differences);
    }
  }

  async #broughtBack(event: RecordedEvent<CollectionEvent>): Promise<Held> {
    const { store, transaction } = this.options;
    let folded: Folded | undefined;
    for (const earlier of await readableStream(store, event.stream))
      if (earlier.revision < event.revision) folded = fold(folded, earlier);
    folded = fold(folded, event);
    const [row] = await transaction.query<{ line: string }>(listLineAt, [folded.row.position]);
    return { folded, stored: row?.line };
  }

  /** Room for others: the oldest go. Those whose last event was met are compared for good; the rest come back. */
  async #letGo(): Promise<void> {
    const most = Math.max(1, Math.floor(this.options.mostHeld / 100));
    const oldest: Held[] = [];
    for (const [stream, held] of this.#held) {
      if (oldest.length === most) break;
      oldest.push(held);
      this.#held.delete(stream);
    }
    for (let first = 0; first < oldest.length; first += readsAtOnce) {
      const some = oldest.slice(first, first + readsAtOnce);
      await Promise.all(some.map((held) => this.#nameIfOver(held)));
    }
  }

  async #nameIfOver(held: Held): Promise<void> {
    if (held.stored === undefined) return;
    const { store, isIn } = this.options;
    const events = await readableStream(store, held.folded.row.stream);
    const last = events.findLast(isIn);
    if (last?.revision === held.folded.revision) this.#name(held);
  }

  #name({ folded, stored }: Held): void {
    if (stored !== undefined) nameFields(folded, stored, this.options.differences);
  }
}
