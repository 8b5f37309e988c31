/**
 * The part of the protobuf wire format that the hot paths need. Appends are decoded and events encoded by hand; all
 * other messages use the generated code.
 */

/**
 * Walks the fields of one message. Byte fields are views of the message, not copies. Integers above 2^53 lose their low
 * bits. No revision or position of this store is so high, so such an integer only ever compares as "beyond".
 */
export class ProtoReader {
  readonly #bytes: Buffer;
  #offset = 0;
  #wireType = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Returns the next field's number; 0 at the end of the message. */
  nextField(): number {
    if (this.#offset >= this.#bytes.length) return 0;
    const tag = this.varint();
    this.#wireType = tag & 7;
    return tag >>> 3;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#offset++];
      if (byte === undefined) throw new RangeError('truncated protobuf message');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  bytes(): Buffer {
    const length = this.varint();
    const end = this.#offset + length;
    if (end > this.#bytes.length) throw new RangeError('truncated protobuf message');
    const view = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return view;
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  skip(): void {
    if (this.#wireType === 0) this.varint();
    else if (this.#wireType === 1) this.#offset += 8;
    else if (this.#wireType === 2) this.bytes();
    else if (this.#wireType === 5) this.#offset += 4;
    else throw new RangeError(`unsupported protobuf wire type ${this.#wireType}`);
  }
}

export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** Writes an unsigned integer below 2^53 and returns the offset behind it. */
export function writeVarint(target: Buffer, value: number, offset: number): number {
  let rest = value;
  let at = offset;
  while (rest >= 128) {
    target[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  target[at++] = rest;
  return at;
}

/** Size of a length-delimited field whose tag takes one byte. */
export function fieldSize(length: number): number {
  return 1 + varintSize(length) + length;
}

/** Writes a one-byte tag and a length and returns the offset behind them. */
export function writeHeader(target: Buffer, tag: number, length: number, offset: number): number {
  target[offset] = tag;
  return writeVarint(target, length, offset + 1);
}

/** Writes a length-delimited field and returns the offset behind it. */
export function writeBytes(target: Buffer, tag: number, bytes: Buffer, offset: number): number {
  const at = writeHeader(target, tag, bytes.length, offset);
  bytes.copy(target, at);
  return at + bytes.length;
}
