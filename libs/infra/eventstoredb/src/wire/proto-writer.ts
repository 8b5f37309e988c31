/** Number of bytes of an unsigned integer below 2^53. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}

/** Number of bytes of a length-delimited field whose number is below 16. */
export function fieldSize(length: number): number {
  return 1 + varintSize(length) + length;
}

/** Writes protobuf into a buffer of the exact size that was counted before; tags have one byte. */
export class ProtoWriter {
  readonly bytes: Buffer;
  #at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  /** Writes the bytes before the content of a length-delimited field. */
  header(tag: number, length: number): void {
    this.bytes[this.#at++] = tag;
    this.#varint(length);
  }

  number(tag: number, value: number): void {
    this.bytes[this.#at++] = tag;
    this.#varint(value);
  }

  uint64(tag: number, value: bigint): void {
    this.bytes[this.#at++] = tag;
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) this.bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
    this.bytes[this.#at++] = Number(rest);
  }

  /** @param length of the text in UTF-8 */
  text(tag: number, text: string, length: number): void {
    this.header(tag, length);
    this.#at += this.bytes.write(text, this.#at, length, 'utf8');
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.#at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.#at++] = rest;
  }
}

/** Number of bytes of an unsigned integer of 64 bits. */
export function uint64Size(value: bigint): number {
  let size = 1;
  for (let rest = value; rest > 0x7fn; rest >>= 7n) size += 1;
  return size;
}

/** A length-delimited field of encoded parts, for rarely sent messages. */
export function joined(tag: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const writer = new ProtoWriter(1 + varintSize(length));
  writer.header(tag, length);
  return Buffer.concat([writer.bytes, ...parts]);
}

/** An unsigned integer of 64 bits as a field. */
export function uint64Field(tag: number, value: bigint): Buffer {
  const writer = new ProtoWriter(1 + uint64Size(value));
  writer.uint64(tag, value);
  return writer.bytes;
}
