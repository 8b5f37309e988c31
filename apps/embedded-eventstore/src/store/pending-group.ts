import { randomUUID } from 'node:crypto';
import { type ProposedEvent } from '../wire/append-requests.js';
import {
  encodeFrame,
  encodeTombstone,
  frameData,
  frameId,
  TOMBSTONE_REVISION,
} from '../wire/frame.js';
import { type AppendCommand, type DeleteCommand, type Outcome } from './commands.js';
import { decideAppend } from './decide-append.js';
import {
  type EventLog,
  type GroupChanges,
  type IndexEntry,
  type StoredEvent,
} from './event-log.js';
import { type RecentIds } from './recent-ids.js';
import {
  BINARY_CONTENT,
  DELETED_METADATA,
  JSON_CONTENT,
  METADATA_TYPE,
  metadataStreamOf,
  parseMetadata,
  streamOfMetadata,
  TOMBSTONE_TYPE,
  withTruncateBefore,
} from './stream-metadata.js';
import { firstReadable, isReadable, newStream, type StreamRecord } from './stream-record.js';

const EMPTY = Buffer.alloc(0);
/** Reads of a metadata stream return its newest event only, as EventStoreDB's default has it. */
const METADATA_MAX_COUNT = 1;

interface TouchedStream {
  readonly name: Buffer;
  record: StreamRecord;
  changed: boolean;
  /** Events that this group adds, by revision. */
  readonly added: Map<number, StoredEvent>;
}

/**
 * The appends of one group commit. Each is decided on the log and on the group's earlier events. Nothing counts until
 * the log has committed the group.
 */
export class PendingGroup {
  readonly #log: EventLog;
  readonly #recent: RecentIds;
  readonly #created: Buffer;
  readonly #streams = new Map<string, TouchedStream>();
  readonly #events: StoredEvent[] = [];
  readonly #index: IndexEntry[] = [];
  #nextPosition: number;
  #nextStreamNumber: number;

  /** `now`: milliseconds of the Unix epoch, the time of all events of the group. */
  constructor(log: EventLog, recent: RecentIds, now: number) {
    this.#log = log;
    this.#recent = recent;
    this.#created = Buffer.from(`${now}0000`, 'ascii');
    this.#nextPosition = log.nextPosition;
    this.#nextStreamNumber = log.nextStreamNumber;
  }

  get changes(): GroupChanges {
    const streams = [...this.#streams.values()].filter(({ changed }) => changed);
    return {
      events: this.#events,
      index: this.#index,
      streams,
      nextStreamNumber: this.#nextStreamNumber,
    };
  }

  append({ stream: name, expected, events }: AppendCommand): Outcome {
    const stream = this.#touch(name);
    if (this.#isGone(stream)) return { kind: 'stream-deleted' };
    const { record } = stream;
    const ids = events.map(({ id }) => id);
    const verdict = decideAppend(record, expected, ids, {
      idAt: (revision) => this.#idAt(stream, revision),
      recentRevision: (id) => this.#recent.revision(record.number, id),
      hasMetadata: () => this.#hasMetadata(stream),
    });
    switch (verdict.kind) {
      case 'stream-deleted':
        return verdict;
      case 'wrong-expected':
        return { kind: 'wrong-expected', actual: record.head };
      case 'repeat':
        return {
          kind: 'written',
          revision: verdict.revision,
          position: this.#readablePositionOf(stream, verdict.revision),
        };
      case 'write':
        return this.#write(stream, events);
    }
  }

  /** A deletion is decided like the append of an event that the stream does not have. */
  delete({ kind, stream: name, expected }: DeleteCommand): Outcome {
    const stream = this.#touch(name);
    if (this.#isGone(stream)) return { kind: 'stream-deleted' };
    const { record } = stream;
    const verdict = decideAppend(record, expected, [''], {
      idAt: () => undefined,
      recentRevision: () => undefined,
      hasMetadata: () => this.#hasMetadata(stream),
    });
    if (verdict.kind === 'stream-deleted') return verdict;
    if (verdict.kind !== 'write') return { kind: 'wrong-expected', actual: record.head };
    return kind === 'tombstone' ? this.#tombstone(stream) : this.#softDelete(stream);
  }

  #write(stream: TouchedStream, events: readonly ProposedEvent[]): Outcome {
    const { head, softDeleted } = stream.record;
    // EventStoreDB writes a record without an event for an append without events. Here the last byte of the newest
    // event counts as its position: it lies between that event and the next one, and needs no record.
    let position = this.#nextPosition - 1;
    for (const event of events) position = this.#add(stream, event);
    const revision = stream.record.head;
    const last = events.at(-1);
    const target = streamOfMetadata(stream.name);
    if (target !== undefined && last !== undefined) this.#describe(this.#touch(target), last.data);
    if (softDeleted) this.#restore(stream, head + 1);
    return { kind: 'written', revision, position };
  }

  #softDelete(stream: TouchedStream): Outcome {
    const { head } = stream.record;
    if (head < 0 && !this.#hasMetadata(stream)) return { kind: 'wrong-expected', actual: -1 };
    return {
      kind: 'written',
      revision: head,
      position: this.#setMetadata(stream, DELETED_METADATA),
    };
  }

  #tombstone(stream: TouchedStream): Outcome {
    const { head } = stream.record;
    const event = systemEvent(TOMBSTONE_TYPE, EMPTY, BINARY_CONTENT);
    const position = this.#store(stream.name, TOMBSTONE_REVISION, event, encodeTombstone);
    this.#change(stream, { tombstoned: true });
    return { kind: 'written', revision: head, position };
  }

  /** Obeys metadata that a writer gave to the stream. They end a soft deletion, but its old events stay hidden. */
  #describe(stream: TouchedStream, data: Buffer): void {
    const { head, softDeleted } = stream.record;
    this.#change(stream, parseMetadata(data));
    if (softDeleted) this.#restore(stream, head + 1);
  }

  /** Ends a soft deletion: the first readable event of the stream is `first`. */
  #restore(stream: TouchedStream, first: number): void {
    const data = this.#headData(this.#touch(metadataStreamOf(stream.name)));
    this.#setMetadata(stream, withTruncateBefore(data, first));
  }

  /** Writes metadata of the stream, obeys them, and returns the position of their event. */
  #setMetadata(stream: TouchedStream, data: Buffer): number {
    const metadata = this.#touch(metadataStreamOf(stream.name));
    const position = this.#add(metadata, systemEvent(METADATA_TYPE, data, JSON_CONTENT));
    this.#change(stream, parseMetadata(data));
    return position;
  }

  #hasMetadata(stream: TouchedStream): boolean {
    return this.#touch(metadataStreamOf(stream.name)).record.head >= 0;
  }

  /** True if the stream was tombstoned, or if it holds the metadata of a tombstoned one. */
  #isGone(stream: TouchedStream): boolean {
    if (stream.record.tombstoned) return true;
    const target = streamOfMetadata(stream.name);
    return target !== undefined && this.#touch(target).record.tombstoned;
  }

  /** Adds one event at the head of the stream and returns its position. */
  #add(stream: TouchedStream, event: ProposedEvent): number {
    const revision = stream.record.head + 1;
    const position = this.#store(stream.name, revision, event);
    const stored = this.#events.at(-1);
    if (stored !== undefined) stream.added.set(revision, stored);
    this.#index.push({ streamNumber: stream.record.number, revision, position });
    this.#recent.add(stream.record.number, event.id, revision);
    this.#change(stream, { head: revision });
    return position;
  }

  #store(stream: Buffer, revision: number, event: ProposedEvent, encode = encodeFrame): number {
    const position = this.#nextPosition;
    const created = this.#created;
    const frame = encode({ ...event, stream, revision, position, created });
    this.#events.push({ position, frame });
    this.#nextPosition = position + frame.length;
    return position;
  }

  #change(stream: TouchedStream, change: Partial<StreamRecord>): void {
    stream.record = { ...stream.record, ...change };
    stream.changed = true;
  }

  #touch(name: Buffer): TouchedStream {
    const key = name.toString('latin1');
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const record = this.#log.stream(name) ?? this.#newStream(name);
    const touched = { name, record, changed: false, added: new Map<number, StoredEvent>() };
    this.#streams.set(key, touched);
    return touched;
  }

  #newStream(name: Buffer): StreamRecord {
    const holdsMetadata = streamOfMetadata(name) !== undefined;
    return newStream(this.#nextStreamNumber++, holdsMetadata ? METADATA_MAX_COUNT : 0);
  }

  #idAt(stream: TouchedStream, revision: number): string | undefined {
    const frame = this.#frameOf(stream, revision);
    return frame === undefined ? undefined : frameId(frame);
  }

  #headData(stream: TouchedStream): Buffer | undefined {
    const frame = this.#frameOf(stream, stream.record.head);
    return frame === undefined ? undefined : frameData(frame);
  }

  #frameOf(stream: TouchedStream, revision: number): Buffer | undefined {
    const added = stream.added.get(revision);
    if (added !== undefined) return added.frame;
    const position = this.#positionOf(stream, revision);
    return position === undefined ? undefined : this.#log.frameAt(position);
  }

  /** As EventStoreDB does, a repetition names no position if the event can no longer be read. */
  #readablePositionOf(stream: TouchedStream, revision: number): number | undefined {
    const { record } = stream;
    if (!isReadable(record) || revision < firstReadable(record)) return undefined;
    return this.#positionOf(stream, revision);
  }

  #positionOf(stream: TouchedStream, revision: number): number | undefined {
    if (revision < 0 || revision > stream.record.head) return undefined;
    return (
      stream.added.get(revision)?.position ?? this.#log.positionOf(stream.record.number, revision)
    );
  }
}

function systemEvent(type: Buffer, data: Buffer, contentType: Buffer): ProposedEvent {
  return { id: randomUUID(), type, contentType, metadata: EMPTY, data };
}
