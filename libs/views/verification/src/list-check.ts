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

/** A collection whose events, as far as they were read, do not yet say what its row says. */
interface Deferred {
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
  /** Whether the event is met in this part or was before: not behind its end, nor held back. */
  readonly isIn: (event: RecordedEvent) => boolean;
  /** Collections held at most. */
  readonly maxHeld: number;
}

/** Streams read at once where collections have to be folded from their own streams. */
const readsAtOnce = 16;
/** Rows compared with their own streams in one snapshot. */
const rowsAtOnce = 1000;

/** Which row, of which collection. */
interface Place {
  readonly stream: string;
  readonly position: Position;
}

/** A row that is not what its own stream says, in one snapshot and up to its checkpoint. */
interface Differing extends Place {
  readonly folded: Folded;
  readonly stored: string | undefined;
  /** Of the last event that is met in this part or was before. */
  readonly lastMet: bigint | undefined;
}

/**
 * The transaction list, with the rail queries and the reviews that hang on it, against the fold of the log.
 *
 * Rows stand in the order of their intents, so pages hand each collection its row when its intent is met. A page is
 * not older than the end of the part that is walked, but may be newer. A collection is held while its events differ
 * from its row and let go as soon as they agree: mostly no event follows. One that does follow brings the collection
 * back, folded from its own stream. A row that has changed since the end of the walk differs at last without being
 * wrong; so each that differs is read once more, and compared with its own stream up to the checkpoint of that
 * snapshot. Where too many are held, that is done for the oldest at once; so memory is bounded and nothing is left
 * out, whatever the history: what is unusual costs a read of a stream or two.
 */
export class ListCheck {
  compared = 0;
  readonly #held = new Map<string, Deferred>();
  /** Let go although they differed; looked at again in the end, as an event may still bring them back. */
  readonly #suspects = new Map<string, Position>();
  #lines: StoredLines;

  constructor(private readonly options: ListCheckOptions) {
    this.#lines = this.#part(beforeAllPositions, options.end);
  }

  /** The part is over, and the next one goes up to here: all of its rows are there now. */
  async goOn(after: Position, end: Position): Promise<void> {
    await this.#endPart();
    this.#lines = this.#part(after.toString(), end);
  }

  /**
   * Waits for nobody as long as rows come as the log expects them.
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
    // A row that was missing is named already.
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

  /** The row of an intent, by the merge of two lists in the order of the log. */
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

  /** The oldest go, so that others can be held. Those that differ are looked at again in the end. */
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

  /** Those of the rows that are not what their own streams say, in one snapshot and up to its checkpoint. */
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
