import { bytesTag, varintTag } from './proto-reader.js';
import { fieldSize, ProtoWriter, uint64Size } from './proto-writer.js';

/** One event to send: data and metadata are JSON already. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** One append to send. */
export interface ProposedAppend {
  readonly stream: string;
  readonly expectedRevision: 'no_stream' | bigint;
  readonly events: readonly ProposedEvent[];
}

const contentType = 'application/json';
const utf8Size = (text: string): number => Buffer.byteLength(text, 'utf8');

/** Size of an entry of the metadata map. The map's keys are sorted, as the package's map writes them. */
const entrySize = (key: string, valueSize: number): number =>
  fieldSize(key.length) + fieldSize(valueSize);
const contentTypeEntrySize = entrySize('content-type', contentType.length);

/**
 * BatchAppendReq of a whole append: the message that the package sends, without its deadline. That is a time by this
 * machine's clock, and a server whose clock is ahead of it would refuse every append. The server has its own limit.
 * @param correlationId 36 characters
 */
export function encodeBatchAppend(append: ProposedAppend, correlationId: string): Buffer {
  const streamSize = utf8Size(append.stream);
  const optionsSize = sizeOfOptions(append, streamSize);
  const sizes = append.events.map(sizesOf);
  let size = fieldSize(fieldSize(correlationId.length)) + fieldSize(optionsSize) + 2;
  for (const { message } of sizes) size += fieldSize(message);

  const writer = new ProtoWriter(size);
  writer.header(bytesTag(1), fieldSize(correlationId.length));
  writer.text(bytesTag(2), correlationId, correlationId.length);
  writer.header(bytesTag(2), optionsSize);
  writeOptions(writer, append, streamSize);
  append.events.forEach((event, index) => {
    const its = sizes[index];
    if (its) writeEvent(writer, event, its);
  });
  writer.number(varintTag(4), 1);
  return writer.bytes;
}

interface EventSizes {
  readonly id: number;
  readonly type: number;
  readonly data: number;
  readonly metadata: number;
  readonly message: number;
}

function sizesOf(event: ProposedEvent): EventSizes {
  const [id, type] = [utf8Size(event.id), utf8Size(event.type)];
  const [data, metadata] = [utf8Size(event.data), utf8Size(event.metadata)];
  const message =
    fieldSize(fieldSize(id)) +
    fieldSize(contentTypeEntrySize) +
    fieldSize(entrySize('type', type)) +
    fieldSize(metadata) +
    fieldSize(data);
  return { id, type, data, metadata, message };
}

function writeEvent(writer: ProtoWriter, event: ProposedEvent, sizes: EventSizes): void {
  writer.header(bytesTag(3), sizes.message);
  writer.header(bytesTag(1), fieldSize(sizes.id));
  writer.text(bytesTag(2), event.id, sizes.id);
  writer.header(bytesTag(2), contentTypeEntrySize);
  writer.text(bytesTag(1), 'content-type', 12);
  writer.text(bytesTag(2), contentType, contentType.length);
  writer.header(bytesTag(2), entrySize('type', sizes.type));
  writer.text(bytesTag(1), 'type', 4);
  writer.text(bytesTag(2), event.type, sizes.type);
  writer.text(bytesTag(3), event.metadata, sizes.metadata);
  writer.text(bytesTag(4), event.data, sizes.data);
}

function sizeOfOptions({ expectedRevision }: ProposedAppend, streamSize: number): number {
  const expected = expectedRevision === 'no_stream' ? 2 : 1 + uint64Size(expectedRevision);
  return fieldSize(fieldSize(streamSize)) + expected;
}

function writeOptions(
  writer: ProtoWriter,
  { stream, expectedRevision }: ProposedAppend,
  streamSize: number,
): void {
  writer.header(bytesTag(1), fieldSize(streamSize));
  writer.text(bytesTag(3), stream, streamSize);
  if (expectedRevision === 'no_stream') writer.header(bytesTag(3), 0);
  else writer.uint64(varintTag(2), expectedRevision);
}
