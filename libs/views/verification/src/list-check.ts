import {
  type EventStore,
  type Position,
  type RecordedEvent,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { beginsItem, type ItemEvent, type TransactionRow } from '#views/transactions';
import { type Differences } from './difference.js';
import { readCheckpoint } from '#views/view-set';
import { QuarantinedEvents } from './quarantined-events.js';
import {
  agrees,
  fold,
  type Folded,
  listLines,
  listLinesAt,
  listLinesBeyond,
  nameExtra,
  nameFields,
  nameMissing,
} from './list-lines.js';
import { type Snapshots } from './snapshots.js';
import { beforeAllPositions, fieldEnd, StoredLines } from './stored-lines.js';

/** A collection whose events, as far as they were read, do not match its row yet. */
interface Deferred {
  folded: Folded;
  /** Undefined if the view has no row; that is reported already. */
  readonly stored: string | undefined;
}

/**
 * Reads the stream up to its end, or up to an unreadable event, at which its merchant is quarantined. Reading up to
 * such an event uses the whole log, which is slow and rare.
 */
async function readableStream(
  store: EventStore,
  stream: string,
): Promise<readonly RecordedEvent<ItemEvent>[]> {
  try {
    return await store.readStream<ItemEvent>(stream);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
  }
  const events: RecordedEvent<ItemEvent>[] = [];
  try {
    for await (const event of store.readAll('start', [stream]))
      if (event.stream === stream) events.push(event as RecordedEvent<ItemEvent>);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
  }
  return events;
}

export interface ListCheckOptions {
  readonly store: EventStore;
  readonly snapshots: Snapshots;
  readonly differences: Differences;
  /** The last position of the first part. */
  readonly end: Position;
  /** True if the event is in this part or an earlier one: not after its end, nor quarantined. */
  readonly isIn: (event: RecordedEvent) => boolean;
  /** Maximum number of collections in memory. */
  readonly maxHeld: number;
}

/** Streams read at once if collections have to be folded from their own streams. */
const readsAtOnce = 16;
/** Rows compared with their own streams in one snapshot. */
const rowsAtOnce = 1000;

/** The row of a collection. */
interface Place {
  readonly stream: string;
  readonly position: Position;
}

/** A row that differs from its own stream, in one snapshot and up to its checkpoint. */
interface Differing extends Place {
  readonly folded: Folded;
  readonly stored: string | undefined;
  /** Revision of the last event that is in this part or an earlier one. */
  readonly lastMet: bigint | undefined;
}

/**
 * Compares the transaction list, with the rail queries and the reviews that depend on it, with the fold of the log.
 *
 * Rows are in the order of their intents, so pages provide each collection's row when the walk reaches its intent. A
 * page is never older than the end of the current part, but may be newer. The check keeps a collection in memory while
 * its events differ from its row, and drops it as soon as they agree: usually no event follows. If one does follow, the
 * collection is folded from its own stream again.
 *
 * A row that changed after the end of the walk differs at the end without being wrong. So each row that differs is read
 * once more, and compared with its own stream up to the checkpoint of that snapshot. If too many are in memory, this is
 * done for the oldest at once. So memory is limited and nothing is left out, whatever the history: an unusual case
 * costs reading a stream or two.
 */
export class ListCheck {
  compared = 0;
  readonly #held = new Map<string, Deferred>();
  /** Dropped although they differed; checked again at the end, since an event may still bring them back. */
  readonly #suspects = new Map<string, Position>();
  #lines: StoredLines;

  constructor(private readonly options: ListCheckOptions) {
    this.#lines = this.#part(beforeAllPositions, options.end);
  }

  /** Ends this part and begins the next, which goes up to here: all of its rows now exist. */
  async goOn(after: Position, end: Position): Promise<void> {
    await this.#endPart();
    this.#lines = this.#part(after.toString(), end);
  }

  /**
   * Does not wait as long as rows come as the log expects them.
   * @returns the collection's row after the event
   */
  apply(event: RecordedEvent<ItemEvent>): TransactionRow | Promise<TransactionRow> {
    const { stream, position } = event;
    const held = this.#held.get(stream);
    if (held) {
      held.folded = fold(held.folded, event);
      if (this.#isDone(held)) this.#held.delete(stream);
      return held.folded.row;
    }
    const line = this.#lines.atHand;
    if (!beginsItem(event) || !line?.startsWith(`${position}${fieldEnd}`))
      return this.#applyUnexpected(event);
    this.#lines.advance();
    return this.#begun(event, line);
  }

  async finish(): Promise<void> {
    const { snapshots, differences } = this.options;
    await this.#endPart();
    const beyond = { select: listLinesBeyond, after: [beforeAllPositions] };
    for await (const line of new StoredLines(snapshots, beyond).rest())
      nameExtra(line, differences);
    // A row that was missing is reported already.
    for (const [stream, { folded, stored }] of this.#held)
      if (stored !== undefined) this.#suspects.set(stream, folded.row.position);
    const places = [...this.#suspects].map(([stream, position]) => ({ stream, position }));
    for (let first = 0; first < places.length; first += rowsAtOnce)
      for (const differing of await this.#differing(places.slice(first, first + rowsAtOnce)))
        this.#name(differing);
  }

  #part(after: string, end: Position): StoredLines {
    const { snapshots } = this.options;
    return new StoredLines(snapshots, { select: listLines, after: [after], values: [end] });
  }

  async #endPart(): Promise<void> {
    for await (const line of this.#lines.rest()) nameExtra(line, this.options.differences);
  }

  async #applyUnexpected(event: RecordedEvent<ItemEvent>): Promise<TransactionRow> {
    if (beginsItem(event)) return this.#begun(event, await this.#rowOf(event));
    return this.#hold(await this.#broughtBack(event));
  }

  #begun(
    event: RecordedEvent<ItemEvent>,
    stored: string | undefined,
  ): TransactionRow | Promise<TransactionRow> {
    this.compared += 1;
    return this.#hold({ folded: fold(undefined, event), stored });
  }

  #hold(held: Deferred): TransactionRow | Promise<TransactionRow> {
    const { row } = held.folded;
    if (this.#isDone(held)) return row;
    this.#held.set(row.stream, held);
    return this.#held.size > this.options.maxHeld ? this.#letGo().then(() => row) : row;
  }

  #isDone({ folded, stored }: Deferred): boolean {
    return stored !== undefined && agrees(folded, stored);
  }

  /** The row of an intent, by merging two lists in the order of the log. */
  async #rowOf({ position, stream }: RecordedEvent): Promise<string | undefined> {
    const { differences } = this.options;
    for (;;) {
      const line = await this.#lines.peek();
      const at = line === undefined ? undefined : BigInt(line.slice(0, line.indexOf(fieldEnd)));
      if (line === undefined || at === undefined || at > position) {
        nameMissing({ position, stream }, differences);
        return undefined;
      }
      this.#lines.advance();
      if (at === position) return line;
      nameExtra(line, differences);
    }
  }

  async #broughtBack(event: RecordedEvent<ItemEvent>): Promise<Deferred> {
    const { store, snapshots } = this.options;
    let folded: Folded | undefined;
    for (const earlier of await readableStream(store, event.stream))
      if (earlier.revision < event.revision) folded = fold(folded, earlier);
    folded = fold(folded, event);
    const [row] = await snapshots.query<{ line: string }>(listLinesAt, [[folded.row.position]]);
    return { folded, stored: row?.line };
  }

  /** Drops the oldest, so that others fit. Those that differ are checked again at the end. */
  async #letGo(): Promise<void> {
    const { maxHeld } = this.options;
    const max = Math.max(1, Math.floor(maxHeld / 100));
    const oldest = new Map<string, Deferred>();
    for (const [stream, held] of this.#held) {
      if (oldest.size === max) break;
      oldest.set(stream, held);
      this.#held.delete(stream);
    }
    const places = [...oldest]
      .filter(([, { stored }]) => stored !== undefined)
      .map(([stream, { folded }]) => ({ stream, position: folded.row.position }));
    for (const differing of await this.#differing(places)) {
      const { stream, position, lastMet } = differing;
      if (this.#suspects.size < maxHeld) this.#suspects.set(stream, position);
      else if (lastMet === oldest.get(stream)?.folded.revision) this.#name(differing);
    }
  }

  /** The rows that differ from their own streams, in one snapshot and up to its checkpoint. */
  async #differing(places: readonly Place[]): Promise<readonly Differing[]> {
    if (places.length === 0) return [];
    const positions = places.map(({ position }) => position);
    const snapshot = await this.options.snapshots.take(async (now) => ({
      upTo: (await readCheckpoint(now)).position,
      quarantined: await QuarantinedEvents.read(now),
      rows: await now.query<{ position: string; line: string }>(listLinesAt, [positions]),
    }));
    const lines = new Map(snapshot.rows.map(({ position, line }) => [position, line]));
    const isIn = (event: RecordedEvent): boolean =>
      event.position <= snapshot.upTo && !snapshot.quarantined.holds(event);
    const differing: Differing[] = [];
    for (let first = 0; first < places.length; first += readsAtOnce) {
      const some = places.slice(first, first + readsAtOnce);
      const found = await Promise.all(
        some.map((place) => this.#compared(place, lines.get(place.position.toString()), isIn)),
      );
      differing.push(...found.filter((each) => each !== undefined));
    }
    return differing;
  }

  async #compared(
    place: Place,
    stored: string | undefined,
    isIn: (event: RecordedEvent) => boolean,
  ): Promise<Differing | undefined> {
    const events = await readableStream(this.options.store, place.stream);
    let folded: Folded | undefined;
    for (const event of events) if (isIn(event)) folded = fold(folded, event);
    if (!folded || (stored !== undefined && agrees(folded, stored))) return undefined;
    return { ...place, folded, stored, lastMet: events.findLast(this.options.isIn)?.revision };
  }

  #name({ folded, stored }: Differing): void {
    const { differences } = this.options;
    if (stored === undefined) nameMissing(folded.row, differences);
    else nameFields(folded, stored, differences);
  }
}
