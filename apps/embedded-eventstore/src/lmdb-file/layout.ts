/**
 * The layout of an LMDB data file as the `lmdb` package writes it (version 2, little-endian, 64 bit), as far as is
 * needed to tell a complete commit from a torn one. Source: liblmdb/mdb.c of that package.
 */

/** Every page begins with a header of 24 bytes: number, writing transaction, flags, and fill level. */
const HEADER = { number: 0, transaction: 8, flags: 18, lower: 20, bytes: 24 } as const;
const FLAG = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 } as const;
const NODE = { flags: 4, keySize: 6, key: 8 } as const;
const NODE_FLAG = { overflow: 0x01, database: 0x02 } as const;

/** Offsets in a meta page. A commit rewrites the `bodyBytes` bytes from `body` on. */
export const META = {
  magic: 24,
  version: 28,
  body: 40,
  bodyBytes: 128,
  pageSize: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  transaction: 152,
  end: 168,
} as const;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
/** Offset of the root in the record of a database. */
const DATABASE_ROOT = 40;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** One of the two snapshots that the file's meta pages describe. */
export interface Snapshot {
  /** The number of the meta page: 0 or 1. */
  readonly slot: number;
  readonly transaction: bigint;
  readonly lastPage: number;
  /** The root pages of the trees of free and of used pages. */
  readonly roots: readonly number[];
}

function pageNumber(value: bigint): number[] {
  return value === NO_PAGE ? [] : [Number(value)];
}

/** Returns the snapshot of a meta page; undefined if the page is none. */
export function readSnapshot(page: Buffer, slot: number): Snapshot | undefined {
  if (page.length < META.end) return undefined;
  const isMeta =
    (page.readUInt16LE(HEADER.flags) & FLAG.meta) !== 0 &&
    page.readUInt32LE(META.magic) === MAGIC &&
    (page.readUInt32LE(META.version) & 0xffff) === VERSION;
  if (!isMeta) return undefined;
  return {
    slot,
    transaction: page.readBigUInt64LE(META.transaction),
    lastPage: Number(page.readBigUInt64LE(META.lastPage)),
    roots: [
      ...pageNumber(page.readBigUInt64LE(META.freeRoot)),
      ...pageNumber(page.readBigUInt64LE(META.mainRoot)),
    ],
  };
}

/** A target that a page points to: a page, or a run of overflow pages that hold one value. */
export interface Reference {
  readonly page: number;
  readonly overflowPages: number;
}

/** Returns the pages that this page points to; undefined if it is not the page of that number and kind. */
export function referencesOf(
  page: Buffer,
  { page: number, overflowPages }: Reference,
): Reference[] | undefined {
  if (page.length < HEADER.bytes) return undefined;
  if (page.readBigUInt64LE(HEADER.number) !== BigInt(number)) return undefined;
  const flags = page.readUInt16LE(HEADER.flags);
  if (overflowPages > 0) return (flags & FLAG.overflow) === 0 ? undefined : [];
  const isBranch = (flags & FLAG.branch) !== 0;
  if (isBranch === ((flags & FLAG.leaf) !== 0)) return undefined;
  const nodes = page.readUInt16LE(HEADER.lower) >> 1;
  const references: Reference[] = [];
  for (let index = 0; index < nodes; index++) {
    const pointer = HEADER.bytes + 2 * index;
    const node = page.readUInt16LE(pointer) + HEADER.bytes;
    if (node + NODE.key > page.length) return undefined;
    const found = isBranch ? branchReference(page, node) : leafReference(page, node);
    if (found !== undefined) references.push(found);
  }
  return references;
}

/** The transaction that wrote the page. */
export function transactionOf(page: Buffer): bigint {
  return page.length < HEADER.bytes ? 0n : page.readBigUInt64LE(HEADER.transaction);
}

function branchReference(page: Buffer, node: number): Reference {
  const high = page.readUInt16LE(node + NODE.flags);
  return { page: page.readUInt32LE(node) + high * 2 ** 32, overflowPages: 0 };
}

function leafReference(page: Buffer, node: number): Reference | undefined {
  const flags = page.readUInt16LE(node + NODE.flags);
  const data = node + NODE.key + page.readUInt16LE(node + NODE.keySize);
  if ((flags & NODE_FLAG.overflow) !== 0 && data + 24 <= page.length) {
    const overflowPages = Number(page.readBigUInt64LE(data + 16));
    return { page: Number(page.readBigUInt64LE(data)), overflowPages };
  }
  if ((flags & NODE_FLAG.database) !== 0 && data + DATABASE_ROOT + 8 <= page.length) {
    const root = page.readBigUInt64LE(data + DATABASE_ROOT);
    return root === NO_PAGE ? undefined : { page: Number(root), overflowPages: 0 };
  }
  return undefined;
}
