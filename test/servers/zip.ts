import { inflateRawSync } from 'node:zlib';

const [endOfDirectory, directoryEntry] = [0x06054b50, 0x02014b50];
const [stored, deflated] = [0, 8];

/**
 * The content of one file of a zip archive (without Zip64).
 * @throws Error if the archive has no such file, or packs it in another way than `deflate`
 */
export function fileInZip(archive: Buffer, name: string): Buffer {
  for (const entry of entriesOf(archive)) {
    if (entry.name !== name) continue;
    // The local header repeats the name, and has extra fields of its own.
    const local = entry.localHeader;
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(start, start + entry.packedBytes);
    if (entry.method === stored) return packed;
    if (entry.method === deflated) return inflateRawSync(packed);
    throw new Error(`${name} is packed by method ${entry.method}`);
  }
  throw new Error(`the archive has no ${name}`);
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packedBytes: number;
  readonly localHeader: number;
}

function* entriesOf(archive: Buffer): Generator<Entry> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || archive.readUInt32LE(end) !== endOfDirectory) throw new Error('no zip archive');
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(at) !== directoryEntry) throw new Error('the zip archive is damaged');
    const nameBytes = archive.readUInt16LE(at + 28);
    yield {
      name: archive.toString('utf8', at + 46, at + 46 + nameBytes),
      method: archive.readUInt16LE(at + 10),
      packedBytes: archive.readUInt32LE(at + 20),
      localHeader: archive.readUInt32LE(at + 42),
    };
    at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
}
