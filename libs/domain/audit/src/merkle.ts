import { type Sha256 } from './posting.js';

const nodePrefix = 1;
const hashBytes = 32;

/** Reads a hash of the tree: over the `2 ** level` leaves from `index * 2 ** level` on. */
export type NodeReader = (level: number, index: number) => Promise<Uint8Array>;

/** Returns the hash of a node above two others (RFC 6962 §2.1). */
export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * hashBytes);
  bytes[0] = nodePrefix;
  bytes.set(left, 1);
  bytes.set(right, 1 + hashBytes);
  return sha256(bytes);
}

/** The right edge of a tree that only grows: the hashes of its complete subtrees, the largest first. */
export class Frontier {
  #size: number;
  /** One for each set bit of the size, the highest first. */
  readonly #edge: Uint8Array[];

  /** @param edge of a tree of that size, as `edgeOf` names it */
  constructor(
    private readonly sha256: Sha256,
    size = 0,
    edge: readonly Uint8Array[] = [],
  ) {
    this.#size = size;
    this.#edge = [...edge];
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds the next leaf.
   * @param onComplete called with each subtree that this leaf completes, the leaf included
   */
  append(
    leaf: Uint8Array,
    onComplete?: (level: number, index: number, hash: Uint8Array) => void,
  ): void {
    let [level, index, hash] = [0, this.#size, leaf];
    onComplete?.(level, index, hash);
    for (; index % 2 === 1; level += 1) {
      const left = this.#edge.pop();
      if (!left) throw new TypeError('the edge is not that of a tree of this size');
      hash = nodeHash(this.sha256, left, hash);
      index = (index - 1) / 2;
      onComplete?.(level + 1, index, hash);
    }
    this.#edge.push(hash);
    this.#size += 1;
  }

  root(): Uint8Array {
    return this.#edge.length === 0
      ? this.sha256('')
      : this.#edge.reduceRight((right, left) => nodeHash(this.sha256, left, right));
  }
}

/** Returns the subtrees that form the right edge of a tree of this size, the largest first. */
export function edgeOf(
  size: number,
): readonly { readonly level: number; readonly index: number }[] {
  const edge = [];
  let done = 0;
  for (let span = powerUpTo(size); size > 0 && span >= 1; span /= 2) {
    if (size - done < span) continue;
    edge.push({ level: Math.log2(span), index: done / span });
    done += span;
  }
  return edge;
}

/** Returns the largest power of two that is not greater than the size, which is 1 or more. */
function powerUpTo(size: number): number {
  let power = 1;
  while (power * 2 <= size) power *= 2;
  return power;
}

/** Returns the place where RFC 6962 divides a tree of two leaves or more: the largest power of two that is smaller. */
function split(size: number): number {
  const power = powerUpTo(size);
  return power === size ? size / 2 : power;
}

/** Computes proofs of a tree with one read for each node. It reads no node outside the tree. */
export class Prover {
  constructor(
    private readonly sha256: Sha256,
    readonly node: NodeReader,
  ) {}

  /** Returns the root of the first `size` leaves. */
  root(size: number): Promise<Uint8Array> {
    return size === 0 ? Promise.resolve(this.sha256('')) : this.#hash(0, size);
  }

  /**
   * Returns the audit path of RFC 6962 §2.1.1.
   * @throws RangeError for a leaf that the tree does not have
   */
  async inclusion(index: number, size: number): Promise<readonly Uint8Array[]> {
    if (index < 0 || index >= size) throw new RangeError(`no leaf ${index} in a tree of ${size}`);
    const path: Uint8Array[] = [];
    let [low, high] = [0, size];
    while (high - low > 1) {
      const middle = low + split(high - low);
      if (index < middle) {
        path.push(await this.#hash(middle, high));
        high = middle;
      } else {
        path.push(await this.#hash(low, middle));
        low = middle;
      }
    }
    return path.reverse();
  }

  /** Returns the consistency proof of RFC 6962 §2.1.2; empty if one tree is empty, or both are the same. */
  async consistency(before: number, size: number): Promise<readonly Uint8Array[]> {
    if (before < 0 || before > size) throw new RangeError(`no tree of ${before} in one of ${size}`);
    if (before === 0 || before === size) return [];
    const path: Uint8Array[] = [];
    let [low, high, isWhole] = [0, size, true];
    while (before !== high) {
      const middle = low + split(high - low);
      if (before <= middle) {
        path.push(await this.#hash(middle, high));
        high = middle;
      } else {
        path.push(await this.#hash(low, middle));
        [low, isWhole] = [middle, false];
      }
    }
    if (!isWhole) path.push(await this.#hash(low, high));
    return path.reverse();
  }

  /** Returns the hash of a range of leaves that results from RFC 6962's division of a tree. */
  async #hash(low: number, high: number): Promise<Uint8Array> {
    const size = high - low;
    if (powerUpTo(size) === size) return this.node(Math.log2(size), low / size);
    const middle = low + split(size);
    return nodeHash(this.sha256, await this.#hash(low, middle), await this.#hash(middle, high));
  }
}

/** A leaf's place in a tree, and the path that proves it. */
export interface Inclusion {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly path: readonly Uint8Array[];
}

/** True if the path leads from the leaf to the root (RFC 9162 §2.1.3.2). */
export function provesInclusion(
  sha256: Sha256,
  { leaf, index, size, path }: Inclusion,
  root: Uint8Array,
): boolean {
  if (index < 0 || index >= size) return false;
  let [place, last, hash] = [index, size - 1, leaf];
  for (const beside of path) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(sha256, beside, hash);
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else hash = nodeHash(sha256, hash, beside);
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && isSame(hash, root);
}

/** A tree by its size and its root. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** True if the path proves that the later tree begins with all leaves of the earlier one (RFC 9162 §2.1.4.2). */
export function provesConsistency(
  sha256: Sha256,
  before: TreeHead,
  after: TreeHead,
  path: readonly Uint8Array[],
): boolean {
  if (before.size > after.size) return false;
  if (before.size === after.size) return path.length === 0 && isSame(before.root, after.root);
  if (before.size === 0) return path.length === 0 && isSame(before.root, sha256(''));
  const isPower = powerUpTo(before.size) === before.size;
  const [first, ...rest] = isPower ? [before.root, ...path] : path;
  if (!first) return false;
  let [place, last] = [before.size - 1, after.size - 1];
  while (place % 2 === 1) [place, last] = [half(place), half(last)];
  let [old, hash] = [first, first];
  for (const beside of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      old = nodeHash(sha256, beside, old);
      hash = nodeHash(sha256, beside, hash);
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else hash = nodeHash(sha256, hash, beside);
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && isSame(old, before.root) && isSame(hash, after.root);
}

function half(value: number): number {
  return Math.floor(value / 2);
}

/** Nothing here is secret, so the comparison need not take constant time. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
