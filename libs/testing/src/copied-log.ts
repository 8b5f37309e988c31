import { StoredLog, type StoredRecord } from '#domain/audit';
import { type EventRecord, type Position, type RecordedEvent } from '#domain/event-sourcing';
import { eventTypes } from '#domain/event-types';
import { instantFromMs } from '#domain/kernel';
import { EventCodec } from '#infra/eventstoredb';
import { ReadOnlyLog } from './views/history.js';

const codec = new EventCodec(eventTypes);

/** An event as the store keeps it; a spec may change it. */
export interface CopiedRecord {
  id: string;
  type: string;
  stream: string;
  revision: bigint;
  position: Position;
  createdMs: number;
  isJson: boolean;
  data: Buffer;
  metadata: Buffer;
}

/** The log in memory, read as bytes; the sealer can append heads to it. */
export class CopiedLog extends ReadOnlyLog implements StoredLog {
  records: CopiedRecord[] = [];

  constructor() {
    super({ events: [] });
  }

  add<E extends EventRecord>(event: RecordedEvent<E>): void {
    const { id, stream, revision, position, recordedAt } = event;
    const { type, data, metadata } = codec.toStored(event);
    this.records.push({
      id,
      type,
      stream,
      revision,
      position,
      createdMs: Date.parse(recordedAt),
      isJson: true,
      data: Buffer.from(JSON.stringify(data)),
      metadata: Buffer.from(JSON.stringify(metadata)),
    });
  }

  override readStream<E extends EventRecord>(
    stream: string,
    from = 0n,
    limit = Infinity,
  ): Promise<RecordedEvent<E>[]> {
    const found: CopiedRecord[] = [];
    for (const record of this.records)
      if (record.stream === stream && record.revision >= from && found.length < limit)
        found.push(record);
    return Promise.resolve().then(() => found.map((record) => decodedRecord<E>(record)));
  }

  override async readLast<E extends EventRecord>(
    stream: string,
  ): Promise<RecordedEvent<E> | undefined> {
    return (await this.readStream<E>(stream)).at(-1);
  }

  override head(): Promise<Position> {
    return Promise.resolve(this.records.at(-1)?.position ?? 0n);
  }

  async *readStored(
    after: Position | 'start',
    prefixes: readonly string[],
  ): AsyncGenerator<StoredRecord, void, void> {
    for (const record of this.records) {
      if (after !== 'start' && record.position <= after) continue;
      if (!prefixes.some((prefix) => record.stream.startsWith(prefix))) continue;
      yield await Promise.resolve(storedFrom(record));
    }
  }
}

function storedFrom(record: CopiedRecord): StoredRecord {
  const { id, type, stream, revision, position, createdMs, isJson, data, metadata } = record;
  return {
    id,
    type,
    stream,
    revision,
    position,
    isJson,
    data,
    metadata,
    recordedAt: instantFromMs(createdMs),
    decode: () => decodedRecord(record),
  };
}

/** The event of a record, as a reader of the log decodes it. */
export function decodedRecord<E extends EventRecord>(record: CopiedRecord): RecordedEvent<E> {
  const { position, ...stored } = record;
  return codec.decode<E>({ ...stored, position: { commit: position, prepare: position } });
}
