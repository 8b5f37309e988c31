import { Frontier, hex, type StoredRecord } from '#domain/audit';
import { type Position } from '#domain/event-sourcing';
import { sha256 } from '#shared/signing';
import { type Fault } from './fault.js';
import {
  beginsTile,
  hashAt,
  isTileLevel,
  type Tile,
  tileOf,
  type TileStore,
  type TreeName,
} from './tiles.js';

interface TreeToCheck {
  /** Size of the tree that the tiles store. */
  readonly size: number;
  readonly onFault: (fault: Fault) => void;
}

interface Node {
  readonly level: number;
  readonly index: number;
  readonly hash: Uint8Array;
}

/** A tree computed from the log and compared with its tiles, hash by hash. */
export class CheckedTree {
  readonly #frontier = new Frontier(sha256);
  readonly #tiles = new Map<number, { readonly key: number; readonly tile: Tile | undefined }>();
  /** The number of leaves that the log lacks, minus the number of leaves that it has in excess. */
  #shift = 0;
  /** True if the last leaf was reported as different from the one in the tile. */
  #isNamed = false;

  constructor(
    private readonly store: TileStore,
    private readonly tree: TreeName,
    private readonly of: TreeToCheck,
  ) {}

  get size(): number {
    return this.#frontier.size;
  }

  root(): string {
    return hex(this.#frontier.root());
  }

  async append(
    leaf: Uint8Array,
    { stream, id, position }: Pick<StoredRecord, 'stream' | 'id' | 'position'>,
  ): Promise<void> {
    const complete: Node[] = [];
    this.#frontier.append(leaf, (level, index, hash) => {
      if (isTileLevel(level)) complete.push({ level, index, hash });
    });
    const place = { stream, eventId: id, position: String(position) };
    for (const node of complete)
      if ((node.index + 1) * 2 ** node.level <= this.of.size)
        await (node.level === 0
          ? this.#compareLeaf(node, position, place)
          : this.#compareNode(node, place));
  }

  async #compareLeaf(
    { index, hash }: Node,
    position: Position,
    place: Pick<Fault, 'stream' | 'eventId' | 'position'>,
  ): Promise<void> {
    const at = index + this.#shift;
    const tile = await this.#tileAt(0, at);
    if (tile && beginsTile(at) && tile.firstPosition !== position)
      this.of.onFault({
        in: 'audit_tiles',
        ...place,
        tells: `tile ${tile.tile} of ${this.tree} says another position of its first leaf`,
      });
    const wasNamed = this.#isNamed;
    this.#isNamed = false;
    if (hashAt(tile, at)?.equals(hash) === true) return;
    const what = this.tree === 'history' ? 'event' : 'posting';
    if (hashAt(await this.#tileAt(0, at + 1), at + 1)?.equals(hash) === true) {
      this.#shift += 1;
      this.of.onFault({ in: 'events', ...place, tells: `${what} ${at} is missing before it` });
    } else if (
      wasNamed &&
      at > 0 &&
      hashAt(await this.#tileAt(0, at - 1), at - 1)?.equals(hash) === true
    )
      // The leaf before this one was in excess, and was reported.
      this.#shift -= 1;
    else {
      this.#isNamed = true;
      this.of.onFault({
        in: 'events',
        ...place,
        tells: `it is not what was noted as ${what} ${at}`,
      });
    }
  }

  async #compareNode(
    { level, index, hash }: Node,
    place: Pick<Fault, 'stream' | 'eventId' | 'position'>,
  ): Promise<void> {
    if (this.#shift !== 0 || hashAt(await this.#tileAt(level, index), index)?.equals(hash) === true)
      return;
    this.of.onFault({
      in: 'audit_tiles',
      ...place,
      tells: `level ${level} of ${this.tree} has another hash at ${index} than its leaves give`,
    });
  }

  /** @param last the event up to which the tiles were written */
  finish(last: Pick<Fault, 'stream' | 'eventId'> | undefined): void {
    if (this.size < this.of.size)
      this.of.onFault({
        in: 'events',
        ...last,
        tells: `the log has ${this.size} ${this.tree === 'history' ? 'events' : 'postings'}, of ${this.of.size} that were noted`,
      });
  }

  async #tileAt(level: number, index: number): Promise<Tile | undefined> {
    const key = tileOf(this.tree, level, index);
    const known = this.#tiles.get(level);
    if (known?.key === key.tile) return known.tile;
    const tile = await this.store.tile(key);
    this.#tiles.set(level, { key: key.tile, tile });
    return tile;
  }
}
