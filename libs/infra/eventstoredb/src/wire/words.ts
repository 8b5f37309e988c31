interface Word {
  readonly text: string;
  readonly bytes: Uint8Array;
}

const longest = 100;

/** A cache of texts that repeat: a text is not decoded again as long as no other takes its place. */
export class Words {
  readonly #places: (Word | undefined)[];

  /** @param places the maximum number of texts: a power of two */
  constructor(places: number) {
    this.#places = Array.from({ length: places });
  }

  /** Returns the text of UTF-8 bytes, equal to the result of `toString`, whatever the cache contains. */
  at(buffer: Buffer, from: number, to: number): string {
    const length = to - from;
    if (length > longest) return buffer.toString('utf8', from, to);
    let sum = length;
    for (let at = from; at < to; at += 1) sum = (Math.imul(sum, 31) + (buffer[at] ?? 0)) | 0;
    const place = sum & (this.#places.length - 1);
    const known = this.#places[place];
    if (known?.bytes.length === length && holds(buffer, from, known.bytes)) return known.text;
    const text = buffer.toString('utf8', from, to);
    this.#places[place] = { text, bytes: Uint8Array.from(buffer.subarray(from, to)) };
    return text;
  }
}

function holds(buffer: Buffer, from: number, bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += 1) if (buffer[from + at] !== bytes[at]) return false;
  return true;
}
