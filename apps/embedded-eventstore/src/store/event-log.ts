import { type Database, open, type RootDatabase } from 'lmdb';
import { streamOfMetadata } from './stream-metadata.js';
import { decodeStreamRecord, encodeStreamRecord, type StreamRecord } from './stream-record.js';

/** An event as the log stores it: the message that reads send, by its position. */
export interface StoredEvent {
  readonly position: number;
  readonly frame: Buffer;
}

/** One entry of the index: the place of a stream's revision in the log. */
export interface IndexEntry {
  readonly streamNumber: number;
  readonly revision: number;
  readonly position: number;
}

/** The content of one group commit, which is written completely or not at all. */
export interface GroupChanges {
  readonly events: readonly StoredEvent[];
  readonly index: readonly IndexEntry[];
  readonly streams: readonly { readonly name: Buffer; readonly record: StreamRecord }[];
  readonly nextStreamNumber: number;
}

/** Position of a new store's first event; no event has position 0. */
const FIRST_POSITION = 1;
const NEXT_STREAM_NUMBER = 'nextStreamNumber';
/**
 * Positions rise, so with this option LMDB fills a page and starts the next instead of splitting. `put` accepts it too,
 * although its types list it only for `putSync`, and returns false if the key is not the last.
 */
const AT_THE_END = { append: true } as unknown as number;
/**
 * Once the file is larger than the memory, each look-up would read as much as the system reads ahead, and push as much out
 * of memory. Reading in order is slower without it, but still faster than the views are built. `open` accepts it, although
 * its types do not list it.
 */
const WITHOUT_READ_AHEAD = { noReadAhead: true };
/** Address space, not memory: LMDB maps the file and grows it as needed. */
const INITIAL_MAP_BYTES = 16 * 1024 ** 3;

function indexKey(streamNumber: number, revision: number): Buffer {
  const key = Buffer.allocUnsafe(12);
  key.writeUIntBE(streamNumber, 0, 6);
  key.writeUIntBE(revision, 6, 6);
  return key;
}

function encodePosition(position: number): Buffer {
  const bytes = Buffer.allocUnsafe(6);
  bytes.writeUIntBE(position, 0, 6);
  return bytes;
}

/** lmdb rejects with a general error that holds the promise of the specific one. */
async function commitCause(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
  } catch (cause) {
    return cause;
  }
  return error;
}

/**
 * The log on disk. Positions are byte offsets of the frames laid end to end, so they rise with gaps, as EventStoreDB's
 * do. Reads are synchronous and see every commit whose promise has resolved.
 */
export class EventLog {
  readonly #env: RootDatabase<Buffer, string>;
  readonly #events: Database<Buffer, number>;
  readonly #index: Database<Buffer, Buffer>;
  readonly #streams: Database<Buffer, Buffer>;
  #lastPosition = 0;
  #nextPosition = FIRST_POSITION;
  #nextStreamNumber = 1;

  /** Opens or creates the log. `directory` exists and belongs to this process. */
  constructor(directory: string) {
    this.#env = open<Buffer, string>({
      path: directory,
      encoding: 'binary',
      mapSize: INITIAL_MAP_BYTES,
      ...WITHOUT_READ_AHEAD,
      // A commit resolves when data and meta page are flushed, and the acknowledgement waits for it.
      overlappingSync: false,
      // A group is one batch of its own; lmdb's own batching would drop a promise that can reject.
      eventTurnBatching: false,
    });
    this.#events = this.#env.openDB<Buffer, number>({ name: 'events', encoding: 'binary' });
    const byBytes = { encoding: 'binary', keyEncoding: 'binary' } as const;
    this.#index = this.#env.openDB<Buffer, Buffer>({ name: 'index', ...byBytes });
    this.#streams = this.#env.openDB<Buffer, Buffer>({ name: 'streams', ...byBytes });
    for (const { key, value } of this.#events.getRange({ reverse: true, limit: 1 })) {
      this.#lastPosition = key;
      this.#nextPosition = key + value.length;
    }
    const next = this.#env.get(NEXT_STREAM_NUMBER);
    if (next !== undefined) this.#nextStreamNumber = next.readUIntBE(0, 6);
  }

  /** Position of the newest event; 0 in an empty log. */
  get lastPosition(): number {
    return this.#lastPosition;
  }

  /** Position that the next event will get. */
  get nextPosition(): number {
    return this.#nextPosition;
  }

  get nextStreamNumber(): number {
    return this.#nextStreamNumber;
  }

  stream(name: Buffer): StreamRecord | undefined {
    const bytes = this.#streams.get(name);
    return bytes === undefined ? undefined : decodeStreamRecord(bytes);
  }

  /** True if the stream was tombstoned, or if it holds the metadata of a tombstoned one. */
  isTombstoned(name: Buffer): boolean {
    if (this.stream(name)?.tombstoned === true) return true;
    const target = streamOfMetadata(name);
    return target !== undefined && this.stream(target)?.tombstoned === true;
  }

  positionOf(streamNumber: number, revision: number): number | undefined {
    return this.#index.get(indexKey(streamNumber, revision))?.readUIntBE(0, 6);
  }

  frameAt(position: number): Buffer | undefined {
    return this.#events.get(position);
  }

  /** True if an event has this position. */
  isBoundary(position: number): boolean {
    return this.#events.doesExist(position);
  }

  /** Returns up to `limit` events from `from` (included) on, oldest first. */
  forwards(from: number, limit: number): StoredEvent[] {
    return this.#page({ start: from, limit });
  }

  /** Returns up to `limit` events before `before` (excluded), newest first. */
  backwards(before: number, limit: number): StoredEvent[] {
    return this.#page({ start: before, exclusiveStart: true, limit, reverse: true });
  }

  #page(range: { start: number; limit: number; exclusiveStart?: boolean; reverse?: boolean }) {
    const page: StoredEvent[] = [];
    for (const { key, value } of this.#events.getRange(range)) {
      page.push({ position: key, frame: value });
    }
    return page;
  }

  /** Returns the stream's events of the revisions `first` to `last`, both included, oldest first. */
  revisions(streamNumber: number, first: number, last: number): StoredEvent[] {
    const page: StoredEvent[] = [];
    const range = { start: indexKey(streamNumber, first), end: indexKey(streamNumber, last + 1) };
    for (const { value } of this.#index.getRange(range)) {
      const position = value.readUIntBE(0, 6);
      const frame = this.#events.get(position);
      if (frame !== undefined) page.push({ position, frame });
    }
    return page;
  }

  /** Writes the group and resolves when it is on disk; rejects if nothing of it was written. */
  async commit(changes: GroupChanges): Promise<void> {
    await this.#write(changes);
    this.#env.resetReadTxn();
    this.#nextStreamNumber = changes.nextStreamNumber;
    const last = changes.events.at(-1);
    if (last !== undefined) {
      this.#lastPosition = last.position;
      this.#nextPosition = last.position + last.frame.length;
    }
  }

  async #write(changes: GroupChanges): Promise<void> {
    const appended: Promise<boolean>[] = [];
    const written = this.#env.batch(() => {
      for (const { position, frame } of changes.events) {
        appended.push(this.#events.put(position, frame, AT_THE_END));
      }
      for (const { streamNumber, revision, position } of changes.index) {
        void this.#index.put(indexKey(streamNumber, revision), encodePosition(position));
      }
      for (const { name, record } of changes.streams) {
        void this.#streams.put(name, encodeStreamRecord(record));
      }
      if (changes.nextStreamNumber !== this.#nextStreamNumber) {
        void this.#env.put(NEXT_STREAM_NUMBER, encodePosition(changes.nextStreamNumber));
      }
    });
    try {
      const taken = await Promise.all([written, ...appended]);
      if (taken.includes(false)) throw new Error('a position was not behind the last one');
    } catch (error) {
      throw await commitCause(error);
    }
  }

  async close(): Promise<void> {
    await this.#env.close();
  }
}
