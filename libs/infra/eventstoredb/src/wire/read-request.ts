import { type LogPosition } from './shared-messages.js';
import { bytesTag, varintTag } from './proto-reader.js';
import { joined, uint64Field } from './proto-writer.js';

/** A page of a stream. */
export interface StreamPage {
  readonly stream: string;
  readonly direction: 'forwards' | 'backwards';
  readonly from: bigint | 'end';
  readonly count: number;
}

const empty = Buffer.alloc(0);
const backwards = Buffer.from([varintTag(3), 1]);
const noFilter = joined(bytesTag(8), empty);
/** Ids as text. */
const uuidOption = joined(bytesTag(9), joined(bytesTag(2), empty));

/** ReadReq of a page of a stream, byte for byte as the package sends it; the same holds for the others below. */
export function encodeStreamPage({ stream, direction, from, count }: StreamPage): Buffer {
  const identifier = joined(bytesTag(1), joined(bytesTag(3), Buffer.from(stream, 'utf8')));
  const start = from === 'end' ? joined(bytesTag(4), empty) : uint64Field(varintTag(2), from);
  return request(
    joined(bytesTag(1), identifier, start),
    direction === 'backwards' ? backwards : empty,
    uint64Field(varintTag(5), BigInt(count)),
    noFilter,
    uuidOption,
  );
}

/** ReadReq of a page of the log, newest first, before the position. */
export function encodeLogPage(before: LogPosition | 'end', count: number): Buffer {
  const start = before === 'end' ? joined(bytesTag(3), empty) : joined(bytesTag(1), at(before));
  return request(
    joined(bytesTag(2), start),
    backwards,
    uint64Field(varintTag(5), BigInt(count)),
    noFilter,
    uuidOption,
  );
}

/**
 * ReadReq of a subscription to the log, after the position, to streams with one of the prefixes.
 * @param searchWindow the number of events that the server reads for one page; it sends a checkpoint after each
 */
export function encodeSubscription(
  after: LogPosition | 'start',
  prefixes: readonly string[],
  searchWindow: number,
): Buffer {
  const start = after === 'start' ? joined(bytesTag(2), empty) : joined(bytesTag(1), at(after));
  const names = prefixes.map((prefix) => joined(bytesTag(2), Buffer.from(prefix, 'utf8')));
  const filter = joined(
    bytesTag(7),
    joined(bytesTag(1), ...names),
    uint64Field(varintTag(3), BigInt(searchWindow)),
    uint64Field(varintTag(5), 1n),
  );
  return request(joined(bytesTag(2), start), joined(bytesTag(6), empty), filter, uuidOption);
}

const request = (...options: readonly Buffer[]): Buffer => joined(bytesTag(1), ...options);

/** A position; a number that is 0 is omitted. */
function at({ commit, prepare }: LogPosition): Buffer {
  return Buffer.concat([
    commit === 0n ? empty : uint64Field(varintTag(1), commit),
    prepare === 0n ? empty : uint64Field(varintTag(2), prepare),
  ]);
}
