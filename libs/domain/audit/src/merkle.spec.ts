import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  edgeOf,
  Frontier,
  leafHash,
  nodeHash,
  Prover,
  provesConsistency,
  provesInclusion,
  type Sha256,
} from './index.js';

const sha256: Sha256 = (data) => createHash('sha256').update(data).digest();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** RFC 6962 §2.1, word for word. */
function treeHash(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (!only) return sha256('');
  if (leaves.length === 1) return only;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return nodeHash(sha256, treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)));
}

/** RFC 6962 §2.1.1. */
function naivePath(m: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length <= 1) return [];
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m < k
    ? [...naivePath(m, left), treeHash(right)]
    : [...naivePath(m - k, right), treeHash(left)];
}

/** RFC 6962 §2.1.2. */
function naiveProof(m: number, leaves: readonly Uint8Array[], isWhole = true): Uint8Array[] {
  if (m === leaves.length) return isWhole ? [] : [treeHash(leaves)];
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m <= k
    ? [...naiveProof(m, left, isWhole), treeHash(right)]
    : [...naiveProof(m - k, right, false), treeHash(left)];
}

const leavesOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, n) => leafHash(sha256, `leaf ${n}`));
const proverOf = (leaves: readonly Uint8Array[]): Prover =>
  new Prover(sha256, (level, index) => {
    const span = 2 ** level;
    if ((index + 1) * span > leaves.length) throw new Error('a node outside the tree');
    return Promise.resolve(treeHash(leaves.slice(index * span, (index + 1) * span)));
  });

// Inputs from Certificate Transparency's own tests (merkletree: TestCase "7 leaves" and on).
const inputs = [
  ...['', '00', '10', '2021', '3031', '40414243', '5051525354555657'],
  '606162636465666768696a6b6c6d6e6f',
].map((text) => Buffer.from(text, 'hex'));
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

describe('the tree', () => {
  it('has the roots that Certificate Transparency’s tests have', () => {
    const frontier = new Frontier(sha256);
    expect(hex(frontier.root())).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    for (const [index, input] of inputs.entries()) {
      frontier.append(sha256(Buffer.concat([Buffer.of(0), input])));
      expect(hex(frontier.root())).toBe(roots[index]);
    }
  });

  it('grows by its right edge alone, from wherever that was kept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(70), fc.nat(70), async (kept, more) => {
        const leaves = leavesOf(kept + more);
        const prover = proverOf(leaves);
        const edge = await Promise.all(
          edgeOf(kept).map(({ level, index }) =>
            Promise.resolve(treeHash(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level))),
          ),
        );
        const frontier = new Frontier(sha256, kept, edge);
        for (const leaf of leaves.slice(kept)) frontier.append(leaf);
        expect(hex(frontier.root())).toBe(hex(treeHash(leaves)));
        expect(hex(await prover.root(leaves.length))).toBe(hex(treeHash(leaves)));
      }),
    );
  });

  it('reports every complete subtree once, its leaves included', () => {
    const leaves = leavesOf(37);
    const told = new Map<string, string>();
    const frontier = new Frontier(sha256);
    for (const leaf of leaves)
      frontier.append(leaf, (level, index, hash) => {
        expect(told.has(`${level}/${index}`)).toBe(false);
        told.set(`${level}/${index}`, hex(hash));
      });
    let complete = 0;
    for (let level = 0; 2 ** level <= leaves.length; level += 1)
      for (let index = 0; (index + 1) * 2 ** level <= leaves.length; index += 1) {
        const part = leaves.slice(index * 2 ** level, (index + 1) * 2 ** level);
        expect(told.get(`${level}/${index}`)).toBe(hex(treeHash(part)));
        complete += 1;
      }
    expect(told.size).toBe(complete);
  });
});

describe('a proof', () => {
  const sizes = fc
    .integer({ min: 1, max: 70 })
    .chain((size) =>
      fc.record({ size: fc.constant(size), index: fc.nat(size - 1), flip: fc.nat() }),
    );

  it('for inclusion is RFC 6962’s, and holds only for its own leaf, place and root', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async ({ size, index, flip }) => {
        const leaves = leavesOf(size);
        const path = await proverOf(leaves).inclusion(index, size);
        expect(path.map(hex)).toEqual(naivePath(index, leaves).map(hex));
        const [leaf, root] = [leaves[index] ?? sha256(''), treeHash(leaves)];
        const proof = { leaf, index, size, path };
        expect(provesInclusion(sha256, proof, root)).toBe(true);
        expect(provesInclusion(sha256, { ...proof, leaf: sha256('x') }, root)).toBe(false);
        expect(provesInclusion(sha256, proof, sha256('x'))).toBe(false);
        expect(provesInclusion(sha256, { ...proof, path: [...path, leaf] }, root)).toBe(false);
        expect(provesInclusion(sha256, { ...proof, index: size }, root)).toBe(false);
        if (path.length === 0) return;
        const bent = path.map((hash, at) => (at === flip % path.length ? sha256(hash) : hash));
        expect(provesInclusion(sha256, { ...proof, path: bent }, root)).toBe(false);
        expect(provesInclusion(sha256, { ...proof, path: path.slice(1) }, root)).toBe(false);
        expect(provesInclusion(sha256, { ...proof, index: index ^ 1 }, root)).toBe(false);
      }),
    );
  });

  it('for consistency is RFC 6962’s, and holds only for its own two trees', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async ({ size, index: before, flip }) => {
        const leaves = leavesOf(size);
        const path = await proverOf(leaves).consistency(before, size);
        if (before > 0) expect(path.map(hex)).toEqual(naiveProof(before, leaves).map(hex));
        const old = { size: before, root: treeHash(leaves.slice(0, before)) };
        const now = { size, root: treeHash(leaves) };
        expect(provesConsistency(sha256, old, now, path)).toBe(true);
        expect(provesConsistency(sha256, now, now, [])).toBe(true);
        const other = { ...old, root: sha256('x') };
        expect(provesConsistency(sha256, other, now, path)).toBe(false);
        if (before > 0)
          expect(provesConsistency(sha256, old, { ...now, root: sha256('x') }, path)).toBe(false);
        expect(provesConsistency(sha256, old, now, [...path, now.root])).toBe(false);
        if (before < size && before > 0)
          expect(provesConsistency(sha256, now, old, path)).toBe(false);
        if (path.length === 0) return;
        const bent = path.map((hash, at) => (at === flip % path.length ? sha256(hash) : hash));
        expect(provesConsistency(sha256, old, now, bent)).toBe(false);
      }),
    );
  });

  it('can be requested only within the tree', async () => {
    const prover = proverOf(leavesOf(3));
    await expect(prover.inclusion(3, 3)).rejects.toThrow(RangeError);
    await expect(prover.consistency(4, 3)).rejects.toThrow(RangeError);
  });
});
