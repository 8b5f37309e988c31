import { randomUUID } from 'node:crypto';
import { type ProposedEvent } from '../wire/append-requests.js';
import { encodeFrame, frameData, frameId } from '../wire/frame.js';
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
  JSON_CONTENT,
  METADATA_TYPE,
  metadataStreamOf,
  parseMetadata,
  streamOfMetadata,
  TOMBSTONE_TYPE,
  withTruncateBefore,
} from './stream-metadata.js';
import { newStream, type StreamRecord } from './stream-record.js';

/** EventStoreDB gives the tombstone the largest event number; this is the largest that JavaScript reads exactly. */
const TOMBSTONE_REVISION = Number.MAX_SAFE_INTEGER;
const EMPTY = Buffer.alloc(0);

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
    const target = streamOfMetadata(name);
    if (target !== undefined && this.#touch(target).record.tombstoned) {
      return { kind: 'stream-deleted' };
    }
    const { record } = stream;
    const ids = events.map(({ id }) => id);
    const verdict = decideAppend(record, expected, ids, {
      idAt: (revision) => this.#idAt(stream, revision),
      recentRevision: (id) => this.#recent.revision(record.number, id),
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
          position: this.#positionOf(stream, verdict.revision),
        };
      case 'write':
        return this.#write(stream, events);
    }
  }

  delete(command: DeleteCommand): Outcome {
    const stream = this.#touch(command.stream);
    const { record } = stream;
    if (record.tombstoned) return { kind: 'stream-deleted' };
    const exists = record.head >= 0 && !record.softDeleted;
    const expected = command.expected === 'no_stream' ? -1 : command.expected;
    const matches =
      expected === 'any' || (expected === 'stream_exists' ? exists : expected === record.head);
    if (!matches) return { kind: 'wrong-expected', actual: record.head };
    return command.kind === 'tombstone' ? this.#tombstone(stream) : this.#softDelete(stream);
  }

  #write(stream: TouchedStream, events: readonly ProposedEvent[]): Outcome {
    const first = stream.record.head + 1;
    let position: number | undefined;
    for (const event of events) position = this.#add(stream, event);
    const last = events.at(-1);
    if (last === undefined) {
      return { kind: 'written', revision: stream.record.head, position: undefined };
    }
    const target = streamOfMetadata(stream.name);
    if (target !== undefined) this.#obeyMetadata(this.#touch(target), last.data);
    const revision = stream.record.head;
    if (stream.record.softDeleted) {
      const metadata = this.#touch(metadataStreamOf(stream.name));
      this.#writeMetadata(metadata, withTruncateBefore(this.#headData(metadata), first));
    }
    return { kind: 'written', revision, position };
  }

  #softDelete(stream: TouchedStream): Outcome {
    const metadata = this.#touch(metadataStreamOf(stream.name));
    const previous = this.#headData(metadata);
    if (stream.record.head < 0 && previous === undefined) {
      return { kind: 'wrong-expected', actual: -1 };
    }
    const data = withTruncateBefore(previous, 'deleted');
    const position = this.#writeMetadata(metadata, data);
    return { kind: 'written', revision: stream.record.head, position };
  }

  #tombstone(stream: TouchedStream): Outcome {
    const { head } = stream.record;
    const position = this.#store(
      stream.name,
      TOMBSTONE_REVISION,
      systemEvent(TOMBSTONE_TYPE, EMPTY),
    );
    this.#change(stream, { tombstoned: true });
    return { kind: 'written', revision: head, position };
  }

  #writeMetadata(metadata: TouchedStream, data: Buffer): number {
    const position = this.#add(metadata, systemEvent(METADATA_TYPE, data));
    const target = streamOfMetadata(metadata.name);
    if (target !== undefined) this.#obeyMetadata(this.#touch(target), data);
    return position;
  }

  #obeyMetadata(stream: TouchedStream, data: Buffer): void {
    this.#change(stream, parseMetadata(data));
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

  #store(stream: Buffer, revision: number, event: ProposedEvent): number {
    const position = this.#nextPosition;
    const created = this.#created;
    const frame = encodeFrame({ ...event, stream, revision, position, created });
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
    const record = this.#log.stream(name) ?? newStream(this.#nextStreamNumber++);
    const touched = { name, record, changed: false, added: new Map<number, StoredEvent>() };
    this.#streams.set(key, touched);
    return touched;
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

  #positionOf(stream: TouchedStream, revision: number): number | undefined {
    if (revision < 0 || revision > stream.record.head) return undefined;
    return (
      stream.added.get(revision)?.position ?? this.#log.positionOf(stream.record.number, revision)
    );
  }
}

function systemEvent(type: Buffer, data: Buffer): ProposedEvent {
  return { id: randomUUID(), type, contentType: JSON_CONTENT, metadata: EMPTY, data };
}
