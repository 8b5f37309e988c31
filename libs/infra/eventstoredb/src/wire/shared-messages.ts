import { bytesTag, type ProtoReader, varintTag } from './proto-reader.js';

/** The place of an event in the log. */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** The string form of a UUID, the only one that we request. */
export function readUuid(reader: ProtoReader): string {
  let text = '';
  const outer = reader.enter();
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === bytesTag(2)) text = reader.text();
    else reader.skip(tag);
  reader.leave(outer);
  return text;
}

/** Reads AllStreamPosition and Checkpoint. */
export function readPosition(reader: ProtoReader): LogPosition {
  const position = { commit: 0n, prepare: 0n };
  const outer = reader.enter();
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === varintTag(1)) position.commit = reader.uint64();
    else if (tag === varintTag(2)) position.prepare = reader.uint64();
    else reader.skip(tag);
  reader.leave(outer);
  return position;
}
