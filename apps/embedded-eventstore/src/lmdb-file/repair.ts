import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import {
  META,
  readSnapshot,
  type Reference,
  referencesOf,
  type Snapshot,
  transactionOf,
} from './layout.js';

/** The outcome of the check and the repair. */
export type Repair =
  | 'sound'
  /** The file was cut off while it was being created. It held nothing and starts empty. */
  | 'begun-anew'
  /** The last commit was not completely on the disk. The log ends with the commit before it. */
  | 'rolled-back'
  /** Neither snapshot of the file is complete. */
  | 'beyond-repair';

class DataFile {
  readonly #file: number;
  readonly pageSize: number;
  readonly pages: number;

  constructor(file: number, pageSize: number) {
    this.#file = file;
    this.pageSize = pageSize;
    this.pages = Math.floor(fstatSync(file).size / pageSize);
  }

  page(number: number): Buffer {
    const page = Buffer.alloc(this.pageSize);
    const read = readSync(this.#file, page, 0, this.pageSize, number * this.pageSize);
    return page.subarray(0, read);
  }

  /** True if every page that the snapshot needs exists and has the right number and kind. */
  isWhole(snapshot: Snapshot): boolean {
    // Unused pages at the end may never have been written; then all used pages must be checked.
    const complete = snapshot.lastPage < this.pages;
    const open: Reference[] = snapshot.roots.map((page) => ({ page, overflowPages: 0 }));
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.page + Math.max(1, next.overflowPages) > this.pages) return false;
      const page = this.page(next.page);
      const references = referencesOf(page, next);
      if (references === undefined) return false;
      // Copy on write: a page of an earlier commit points only to pages of earlier commits.
      if (!complete || transactionOf(page) === snapshot.transaction) open.push(...references);
    }
    return true;
  }

  /** Writes the page's snapshot into the slot. */
  overwriteMeta(slot: number, page: Buffer): void {
    const copy = Buffer.from(page);
    copy.writeBigUInt64LE(BigInt(slot), 0);
    writeSync(this.#file, copy, 0, META.end, slot * this.pageSize);
    fsyncSync(this.#file);
  }
}

/** Returns the page size in either meta page, or the usual one if neither has it. */
function pageSizeOf(file: number): number {
  const start = Buffer.alloc(META.end);
  for (const guess of [0, 4096, 16384]) {
    const read = readSync(file, start, 0, META.end, guess);
    if (readSnapshot(start.subarray(0, read), 0) !== undefined)
      return start.readUInt32LE(META.pageSize);
  }
  return 4096;
}

/**
 * Checks an LMDB data file that no process has open, and undoes a last commit that is not completely on the disk. That
 * happens if a disk reports a flush that it did not do, or a file is cut off. If the disk kept its promise, LMDB never
 * reads such a commit; otherwise LMDB would crash on it.
 */
export function repairTornCommit(path: string): Repair {
  let file: number;
  try {
    file = openSync(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'sound';
    throw error;
  }
  try {
    return repair(file);
  } finally {
    closeSync(file);
  }
}

function repair(file: number): Repair {
  const data = new DataFile(file, pageSizeOf(file));
  // Two meta pages are written before anything else, so a shorter file never held an event.
  if (data.pages < 2) {
    ftruncateSync(file, 0);
    return 'begun-anew';
  }
  const candidates = [0, 1]
    .map((slot) => readSnapshot(data.page(slot), slot))
    .filter((snapshot) => snapshot !== undefined)
    .sort((a, b) => (a.transaction > b.transaction ? -1 : 1));
  const whole = candidates.find((snapshot) => data.isWhole(snapshot));
  if (whole === undefined) return 'beyond-repair';
  if (whole === candidates[0] && candidates.length === 2) return 'sound';
  data.overwriteMeta(1 - whole.slot, data.page(whole.slot));
  return 'rolled-back';
}
