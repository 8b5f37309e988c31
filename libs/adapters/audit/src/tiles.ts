import { edgeOf, Frontier, Prover } from '#domain/audit';
import { type Position } from '#domain/event-sourcing';
import { type Database } from '#infra/postgres';
import { sha256 } from '#shared/signing';

/** The trees: one over all postings, one over all events. */
export type TreeName = 'postings' | 'history';

const tileHeight = 8;
/** Hashes per tile. */
const tileWidth = 256;
const hashBytes = 32;

/** Progress of the trees: they contain the log up to and including `last`. */
export interface AuditState {
  readonly position: Position;
  readonly last?: { readonly stream: string; readonly revision: bigint; readonly id: string };
  readonly postings: number;
  readonly events: number;
}

/** The key of a tile. */
export interface TileKey {
  readonly tree: TreeName;
  readonly level: number;
  readonly tile: number;
}

export interface Tile extends TileKey {
  readonly hashes: Buffer;
  /** Position of the first leaf in the log; null above the leaves. */
  readonly firstPosition: Position | null;
}

/** Another process extended the trees. */
export class TreesMoved extends Error {
  override readonly name = 'TreesMoved';
}

/** Stores the trees. */
export abstract class TileStore {
  abstract state(): Promise<AuditState>;
  abstract tile(key: TileKey): Promise<Tile | undefined>;
  /** The last tile of leaves that begins at or before this position. */
  abstract leavesAt(tree: TreeName, position: Position): Promise<Tile | undefined>;
  /** Writes all or nothing. @throws TreesMoved if the state is no longer `from` */
  abstract write(from: AuditState, to: AuditState, tiles: readonly Tile[]): Promise<void>;
}

interface TileRow {
  readonly tree: TreeName;
  readonly level: number;
  readonly tile: bigint;
  readonly hashes: Buffer;
  readonly first_position: bigint | null;
}

const columns = 'tree, level, tile, hashes, first_position';
const selectTile = {
  name: 'audit-tile',
  text: `select ${columns} from records.audit_tiles where tree = $1 and level = $2 and tile = $3`,
};
const selectLeaves = {
  name: 'audit-leaves',
  text: `
  select ${columns} from records.audit_tiles
  where tree = $1 and level = 0 and first_position <= $2 order by first_position desc limit 1`,
};
const selectState = `select position, stream, revision, event_id, postings, events from records.audit_state`;
const moveState = `
  update records.audit_state
  set position = $3, stream = $4, revision = $5, event_id = $6, postings = $7, events = $8
  where events = $1 and postings = $2`;
const upsertTile = `
  insert into records.audit_tiles (${columns}) values ($1, $2, $3, $4, $5)
  on conflict (tree, level, tile) do update set hashes = excluded.hashes`;

/** The tiles in the records. */
export class RecordedTiles extends TileStore {
  constructor(private readonly database: Database) {
    super();
  }

  override async state(): Promise<AuditState> {
    const [row] = await this.database.query<{
      readonly position: bigint;
      readonly stream: string | null;
      readonly revision: bigint | null;
      readonly event_id: string | null;
      readonly postings: bigint;
      readonly events: bigint;
    }>(selectState);
    if (!row) throw new TypeError('the records have no state of the audit’s trees');
    const { position, stream, revision, event_id: id } = row;
    const sizes = { postings: Number(row.postings), events: Number(row.events) };
    if (stream === null || revision === null || id === null) return { position, ...sizes };
    return { position, last: { stream, revision, id }, ...sizes };
  }

  override async tile({ tree, level, tile }: TileKey): Promise<Tile | undefined> {
    const [row] = await this.database.query<TileRow>(selectTile, [tree, level, tile]);
    return row && tileFrom(row);
  }

  override async leavesAt(tree: TreeName, position: Position): Promise<Tile | undefined> {
    const [row] = await this.database.query<TileRow>(selectLeaves, [tree, position]);
    return row && tileFrom(row);
  }

  override async write(from: AuditState, to: AuditState, tiles: readonly Tile[]): Promise<void> {
    const { position, last, postings, events } = to;
    await this.database.transaction(async (transaction) => {
      const moved = await transaction.query(`${moveState} returning 1`, [
        ...[from.events, from.postings, position],
        ...[last?.stream ?? null, last?.revision ?? null, last?.id ?? null, postings, events],
      ]);
      if (moved.length === 0) throw new TreesMoved('another process seals');
      for (const { tree, level, tile, hashes, firstPosition } of tiles)
        await transaction.query(upsertTile, [tree, level, tile, hashes, firstPosition]);
    });
  }
}

function tileFrom({ tree, level, tile, hashes, first_position }: TileRow): Tile {
  return { tree, level, tile: Number(tile), hashes, firstPosition: first_position };
}

/** The tiles do not contain what a tree of this size has. */
export class TilesDamaged extends Error {
  override readonly name = 'TilesDamaged';
}

/** Makes proofs from the tiles; it reads each tile once. */
export function proverOf(store: TileStore, tree: TreeName): Prover {
  const tiles = new Map<string, Buffer>();
  const hashesOf = async (level: number, tile: number): Promise<Buffer> => {
    const key = `${level}/${tile}`;
    const known = tiles.get(key);
    if (known) return known;
    const found = await store.tile({ tree, level, tile });
    if (!found) throw new TilesDamaged(`tile ${tile} of level ${level} of ${tree} is missing`);
    tiles.set(key, found.hashes);
    return found.hashes;
  };
  return new Prover(sha256, async (level, index) => {
    const above = level % tileHeight;
    const [first, count] = [index * 2 ** above, 2 ** above];
    const tile = Math.floor(first / tileWidth);
    const hashes = await hashesOf(level - above, tile);
    const from = (first % tileWidth) * hashBytes;
    if (hashes.length < from + count * hashBytes)
      throw new TilesDamaged(`tile ${tile} of level ${level - above} of ${tree} is too short`);
    const subtree = new Frontier(sha256);
    for (let at = 0; at < count; at += 1)
      subtree.append(hashes.subarray(from + at * hashBytes, from + (at + 1) * hashBytes));
    return subtree.root();
  });
}

/** Returns the index of a hash in its level; undefined if the tile does not contain it. */
export function indexIn({ tile, hashes }: Tile, wanted: Uint8Array): number | undefined {
  for (let from = 0; from < hashes.length; from += hashBytes)
    if (hashes.subarray(from, from + hashBytes).equals(wanted))
      return tile * tileWidth + from / hashBytes;
  return undefined;
}

/** Returns the hash of a leaf; undefined if the tile has none at that index. */
export function hashAt(tile: Tile | undefined, index: number): Buffer | undefined {
  const from = (index % tileWidth) * hashBytes;
  const found = tile?.hashes.subarray(from, from + hashBytes);
  return found?.length === hashBytes ? found : undefined;
}

export function tileOf(tree: TreeName, level: number, index: number): TileKey {
  return { tree, level, tile: Math.floor(index / tileWidth) };
}

/** True if a tile begins at this index. */
export function beginsTile(index: number): boolean {
  return index % tileWidth === 0;
}

export function isTileLevel(level: number): boolean {
  return level % tileHeight === 0;
}

/** A tree that takes new leaves and keeps its new tiles until the caller writes them. */
export class GrowingTree {
  readonly #growing = new Map<number, Tile>();
  readonly #dirty = new Map<string, Tile>();

  private constructor(
    private readonly tree: TreeName,
    private readonly frontier: Frontier,
  ) {}

  /** @throws TilesDamaged */
  static async open(store: TileStore, tree: TreeName, size: number): Promise<GrowingTree> {
    const prover = proverOf(store, tree);
    const edge: Uint8Array[] = [];
    for (const { level, index } of edgeOf(size)) edge.push(await prover.node(level, index));
    const opened = new GrowingTree(tree, new Frontier(sha256, size, edge));
    for (let level = 0; 2 ** level <= size; level += tileHeight) {
      const complete = Math.floor(size / 2 ** level);
      if (complete % tileWidth === 0) continue;
      const key = tileOf(tree, level, complete);
      const tile = await store.tile(key);
      if (!tile) throw new TilesDamaged(`tile ${key.tile} of level ${level} of ${tree} is missing`);
      const hashes = tile.hashes.subarray(0, (complete % tileWidth) * hashBytes);
      opened.#growing.set(level, { ...tile, hashes });
    }
    return opened;
  }

  get size(): number {
    return this.frontier.size;
  }

  root(): Uint8Array {
    return this.frontier.root();
  }

  append(leaf: Uint8Array, position: Position): void {
    this.frontier.append(leaf, (level, index, hash) => {
      if (isTileLevel(level)) this.#note({ level, index, hash }, position);
    });
  }

  /** Returns the tiles that are new or longer since the last call. */
  take(): readonly Tile[] {
    const tiles = [...this.#dirty.values()];
    this.#dirty.clear();
    return tiles;
  }

  #note(node: { level: number; index: number; hash: Uint8Array }, position: Position): void {
    const { level, index, hash } = node;
    const key = tileOf(this.tree, level, index);
    const before = this.#growing.get(level);
    const grown =
      before?.tile === key.tile
        ? { ...before, hashes: Buffer.concat([before.hashes, hash]) }
        : { ...key, hashes: Buffer.from(hash), firstPosition: level === 0 ? position : null };
    this.#growing.set(level, grown);
    this.#dirty.set(`${level}/${key.tile}`, grown);
  }
}
