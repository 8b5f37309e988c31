import { TextDecoder } from 'node:util';
import { StatementRefused } from '#domain/reconciliation';

/** Other kinds of files that people upload instead of a CSV, by their first bytes, with advice for each. */
const otherFiles: readonly (readonly [RegExp, string])[] = [
  [/^%PDF/, 'it is a PDF: export the statement from the portal as CSV'],
  [
    /^PK[\x03\x05\x07]/,
    'it is an Excel workbook or a ZIP archive: unpack the archive, or export the statement from the portal as CSV',
  ],
  [/^\xd0\xcf\x11\xe0/, 'it is an Excel workbook: export the statement from the portal as CSV'],
  [/^\x1f\x8b/, 'it is a gzip archive: unpack it first'],
  [/^\{\\rtf/, 'it is a text document: export the statement from the portal as CSV'],
  [
    /^\s*<(?:!doctype|html|\?xml|table)\b/i,
    'it is a web page or XML: sign in to the portal again and export the statement as CSV',
  ],
];

const sniffedBytes = 512;

/**
 * Decodes a file as its bytes stream by. A byte order mark, or the bytes alone, identify UTF-8 and UTF-16. Other text
 * is Windows-1252 if only letters beyond ASCII differ: no such letter matters for reading a statement.
 * @throws StatementRefused if it is no text, or has more than one encoding; the message names the kind of file, or the
 *   row
 */
export async function* textIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let head: Uint8Array = new Uint8Array();
  let decoding: Decoding | undefined;
  for await (const chunk of chunks) {
    if (!decoding) {
      head = joined(head, chunk);
      if (head.length < sniffedBytes) continue;
      decoding = decodingOf(head);
      yield decoding.add(head);
    } else yield decoding.add(chunk);
  }
  if (!decoding) {
    decoding = decodingOf(head);
    yield decoding.add(head);
  }
  yield decoding.end();
}

interface Decoding {
  add(bytes: Uint8Array): string;
  end(): string;
}

/** @throws StatementRefused */
function decodingOf(head: Uint8Array): Decoding {
  const latin = Buffer.from(head.subarray(0, 64)).toString('latin1');
  const other = otherFiles.find(([pattern]) => pattern.test(latin));
  if (other) throw new StatementRefused(other[1]);
  const utf16 = utf16Of(head);
  if (utf16 !== undefined) return new Utf16(utf16);
  if (head.includes(0))
    throw new StatementRefused('it is no text: export the statement from the portal as CSV');
  return new EightBit();
}

/** Detects UTF-16 by its mark or, without one, by the zero bytes of ASCII letters, which are all on one side. */
function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = Math.floor(head.length / 2) * 0.9;
  if (head.length < 4) return undefined;
  if (even === 0 && odd >= most) return 'utf-16le';
  return odd === 0 && even >= most ? 'utf-16be' : undefined;
}

class Utf16 implements Decoding {
  readonly #decoder: TextDecoder;
  #rows = 1;

  constructor(encoding: 'utf-16le' | 'utf-16be') {
    this.#decoder = new TextDecoder(encoding, { fatal: true });
  }

  add(bytes: Uint8Array): string {
    return this.#decoded(() => this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return this.#decoded(() => this.#decoder.decode());
  }

  #decoded(decode: () => string): string {
    try {
      const text = decode();
      this.#rows += lineFeeds(text);
      return text;
    } catch {
      throw new StatementRefused(
        `row ${this.#rows} or a later one is cut off or no UTF-16 text: export the statement again`,
      );
    }
  }
}

/** Decodes as UTF-8 until letters beyond ASCII appear that are not valid UTF-8. */
class EightBit implements Decoding {
  #kind: 'ascii' | 'utf-8' | 'windows-1252' = 'ascii';
  #carried: Uint8Array = new Uint8Array();
  #rows = 1;
  #isFirst = true;

  add(bytes: Uint8Array): string {
    if (this.#kind === 'windows-1252') return this.#counted(asWindows(bytes));
    const all = joined(this.#carried, bytes);
    const whole = all.length - unfinished(all);
    this.#carried = all.subarray(whole);
    return this.#decoded(all.subarray(0, whole));
  }

  end(): string {
    const rest = this.#carried;
    this.#carried = new Uint8Array();
    return this.#decoded(rest);
  }

  #decoded(bytes: Uint8Array): string {
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      // A byte order mark also proves UTF-8.
      if (text.length !== bytes.length) this.#kind = 'utf-8';
      return this.#counted(this.#isFirst ? text.replace(/^\uFEFF/, '') : text);
    } catch {
      const read = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      const isMixed = /[^\0-\x7f\uFFFD]/.test(read);
      if (this.#kind === 'utf-8' || isMixed) {
        const row = this.#rows + lineFeeds(read.slice(0, read.indexOf('\uFFFD')));
        throw new StatementRefused(
          `row ${row} is of another encoding than the rows before it: export the statement again, as UTF-8`,
        );
      }
      this.#kind = 'windows-1252';
      return this.#counted(asWindows(bytes));
    } finally {
      this.#isFirst = false;
    }
  }

  #counted(text: string): string {
    this.#rows += lineFeeds(text);
    return text;
  }
}

function asWindows(bytes: Uint8Array): string {
  return new TextDecoder('windows-1252').decode(bytes);
}

function lineFeeds(text: string): number {
  return text.split('\n').length - 1;
}

/** Returns how many bytes at the end begin a UTF-8 letter without finishing it. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back < length ? back : 0;
    }
  }
  return 0;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other;
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
