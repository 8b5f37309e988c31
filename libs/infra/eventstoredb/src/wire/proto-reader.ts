import { type Words } from './words.js';

/** The tag of a field: its number and the encoding of its value. */
export const varintTag = (field: number): number => field << 3;
export const bytesTag = (field: number): number => (field << 3) | 2;

const twoTo32 = 0x1_0000_0000;

/**
 * Reads the fields of a protobuf message, and of the messages in it, without copying. A known field with an unexpected
 * encoding has another tag, so it is skipped like an unknown one.
 */
export class ProtoReader {
  readonly #bytes: Buffer;
  #at = 0;
  #end: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** The next field's tag; 0 at the end of the message. @throws RangeError for bytes that are no message */
  nextTag(): number {
    if (this.#at >= this.#end) return 0;
    const tag = this.number();
    if (tag === 0) throw new RangeError('a protobuf field has no number');
    return tag;
  }

  /** An unsigned integer; above 2^53 it loses its low bits. */
  number(): number {
    let value = this.#byte();
    if (value < 0x80) return value;
    value &= 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      if (scale > 2 ** 56) throw new RangeError('a protobuf integer is too long');
    }
  }

  /** An unsigned integer of 64 bits, exact. */
  uint64(): bigint {
    const from = this.#at;
    const value = this.number();
    if (value <= Number.MAX_SAFE_INTEGER) return BigInt(value);
    this.#at = from;
    let exact = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#byte();
      exact |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, exact);
    }
  }

  /** A view of the bytes. */
  bytes(): Buffer {
    const length = this.number();
    const from = this.#at;
    return this.#bytes.subarray(from, this.#over(length));
  }

  text(): string {
    const length = this.number();
    const from = this.#at;
    return this.#bytes.toString('utf8', from, this.#over(length));
  }

  /** Does the same as `text` for texts that repeat often. */
  word(words: Words): string {
    const length = this.number();
    const from = this.#at;
    return words.at(this.#bytes, from, this.#over(length));
  }

  /** Enters the message of this field; pass the returned value to `leave` after its last tag. */
  enter(): number {
    const outer = this.#end;
    const length = this.number();
    const from = this.#at;
    this.#end = this.#over(length);
    this.#at = from;
    return outer;
  }

  leave(outer: number): void {
    this.#at = this.#end;
    this.#end = outer;
  }

  /** Skips the value of a field that is not needed. */
  skip(tag: number): void {
    const wireType = tag & 7;
    if (wireType === 0) this.number();
    else if (wireType === 1) this.#over(8);
    else if (wireType === 2) this.#over(this.number());
    else if (wireType === 5) this.#over(4);
    else throw new RangeError(`protobuf wire type ${wireType} is not known`);
  }

  #byte(): number {
    if (this.#at >= this.#end) throw truncated();
    return this.#bytes[this.#at++] ?? 0;
  }

  #over(length: number): number {
    if (length > twoTo32 || this.#at + length > this.#end) throw truncated();
    this.#at += length;
    return this.#at;
  }
}

function truncated(): RangeError {
  return new RangeError('a protobuf message is cut off');
}
