import { describe, expect, it } from '@jest/globals';
import { auditStream, type SealedHead, sealedHeadObject } from '#domain/audit';
import { Copy, CopiedTiles, newSigner } from '../test/copy.js';
import { readArchivedHead } from './archived-head.js';
import { HistoryChanged, readHeads, SealKeyReplaced } from './sealer.js';

const firstIsDue = Date.parse('2026-11-01T21:05:00Z');
const dayMs = 86_400_000;

/** The faults that the check reports for heads. */
async function saidOfHeads(copy: Copy, how: Parameters<Copy['check']>[2]): Promise<string[]> {
  const { named } = await copy.check(20, 0, how);
  return named.map(({ in: where, date, tells }) => `${where} ${date ?? ''}: ${tells}`);
}

function last(heads: readonly SealedHead[]): SealedHead {
  const found = heads.at(-1);
  if (!found) throw new Error('nothing is sealed');
  return found;
}

/** A history of which only the first day is sealed, and the heads that it had when all of its days were sealed. */
async function cutAfterTheFirst(): Promise<{ copy: Copy; kept: readonly SealedHead[] }> {
  const copy = await Copy.of(3, 3);
  await copy.seal(firstIsDue);
  const [records, tiles, now] = [[...copy.log.records], copy.tiles.tiles, copy.tiles.now];
  const before = tiles.map((tile) => ({ ...tile }));
  await copy.seal();
  const kept = await readHeads(copy.log);
  copy.log.records = records;
  Object.assign(copy.tiles, { tiles: before, now });
  return { copy, kept };
}

describe('heads that were removed together with what follows from them', () => {
  it('are missed until their days are sealed again', async () => {
    const { copy } = await cutAfterTheFirst();
    expect(await saidOfHeads(copy, {})).toEqual([
      'heads 2026-11-02: the day is over and neither it nor a later one is sealed: run audit seal',
    ]);
    const days = { timezone: 'Africa/Nairobi', marginMs: 300_000 };
    const secondIsDue = firstIsDue + dayMs;
    for (const [nowMs, faults] of [
      [secondIsDue + 3_599_999, 0],
      [secondIsDue + 3_600_000, 1],
    ] as const)
      expect(await copy.check(1, 0, { days: { ...days, nowMs } })).toMatchObject({ faults });
  });

  it('are missed if no head is left', async () => {
    const copy = await Copy.of(2, 3);
    await copy.seal();
    copy.log.records = copy.log.records.filter(({ stream }) => stream !== auditStream);
    Object.assign(copy.tiles, new CopiedTiles());
    expect((await saidOfHeads(copy, {})).join()).toContain('heads 2026-11-01: the day is over');
  });

  it('are detected by kept heads, even if the service signed other ones', async () => {
    const { copy, kept } = await cutAfterTheFirst();
    const changed = copy.log.records.findLast(({ type }) => type === 'WalletPosted');
    if (changed) changed.createdMs += 1;
    await copy.project();
    await copy.seal();
    expect(await copy.check()).toMatchObject({ faults: 0, heads: kept.length });
    expect(await copy.check(1, 0, { archivedHeads: kept.slice(0, 1) })).toMatchObject({
      faults: 0,
    });
    const { date } = last(kept).head;
    expect(await saidOfHeads(copy, { archivedHeads: [last(kept)] })).toEqual([
      `heads ${date}: a kept head: it is not among the heads: they were taken out or signed anew`,
      `heads ${date}: a kept head: the events up to it are not those that it sealed`,
      `heads ${date}: a kept head: the postings up to it are not those that it sealed`,
    ]);
  });

  it('are detected by kept heads if the log ends before them', async () => {
    const { copy, kept } = await cutAfterTheFirst();
    copy.log.records = copy.log.records.slice(0, copy.tiles.now.events);
    const size = copy.log.records.length;
    expect(await saidOfHeads(copy, { archivedHeads: [last(kept)] })).toContainEqual(
      expect.stringContaining(
        `it sealed ${last(kept).head.historySize} events; the log has ${size} altogether`,
      ),
    );
  });
});

describe('a head that was made before its day was over', () => {
  it('is reported permanently: a clock was ahead, and nothing was sealed until it was right', async () => {
    const copy = await Copy.of(2, 3);
    await copy.seal(firstIsDue);
    expect(await copy.check()).toMatchObject({ faults: 0, heads: 1 });
    await copy.seal(firstIsDue + dayMs, Date.parse('2026-11-02T20:59:59.999Z'));
    expect(await saidOfHeads(copy, {})).toEqual([
      'heads 2026-11-02: it was recorded at 2026-11-02T20:59:59.999Z, before its day was over',
    ]);
  });
});

describe('heads that their stream hides', () => {
  it.each([
    ['and the trees are there', false],
    ['and the trees are gone, too', true],
  ])('%s: each is named, and nothing is signed anew', async (_what, isWithoutTrees) => {
    const copy = await Copy.of(2, 3);
    const sealed = await copy.seal();
    const read = copy.log.readStream.bind(copy.log);
    copy.log.readStream = (stream, ...rest) =>
      stream === auditStream ? Promise.resolve([]) : read(stream, ...rest);
    if (isWithoutTrees) Object.assign(copy.tiles, new CopiedTiles());
    const size = copy.log.records.length;
    const said = await saidOfHeads(copy, {});
    const hidden = said.filter((line) => line.includes('the log holds it, its stream hides it'));
    expect(hidden).toHaveLength(sealed.length);
    await expect(copy.seal()).rejects.toThrow(HistoryChanged);
    expect(copy.log.records).toHaveLength(size);
  });
});

describe('a key that was replaced', () => {
  it('signs no later head, and none after the day up to which it is trusted', async () => {
    const copy = await Copy.of(3, 3);
    copy.mayReturn = true;
    const [first, second] = [copy.signer, newSigner()];
    for (const [day, signer] of [first, second, first, second].entries()) {
      copy.signer = signer;
      await copy.seal(firstIsDue + day * dayMs);
    }
    const returned = 'heads 2026-11-03: its key had been replaced by another one before';
    expect(await saidOfHeads(copy, {})).toEqual([returned]);
    const until = (lastDay: string) => ({
      trustedKeys: [{ keyId: first.keyId, lastDay }, { keyId: second.keyId }],
    });
    expect(await saidOfHeads(copy, until('2026-11-03'))).toEqual([returned]);
    expect(await saidOfHeads(copy, until('2026-11-02'))).toEqual([
      'heads 2026-11-03: its key is trusted up to 2026-11-02 alone',
      returned,
    ]);
  });
});

describe('a process that still has a replaced key', () => {
  it('seals nothing, which would be a permanent fault, until it has the new key', async () => {
    const copy = await Copy.of(3, 3);
    const [first, second] = [copy.signer, newSigner()];
    await copy.seal(firstIsDue);
    copy.signer = second;
    await copy.seal(firstIsDue + dayMs);
    copy.signer = first;
    await expect(copy.seal(firstIsDue + 2 * dayMs)).rejects.toThrow(SealKeyReplaced);
    expect(await readHeads(copy.log)).toHaveLength(2);
    copy.signer = second;
    await copy.seal(firstIsDue + 2 * dayMs);
    expect(await readHeads(copy.log)).toHaveLength(3);
    expect(await saidOfHeads(copy, {})).toEqual([]);
  });
});

describe('a file of a head', () => {
  it('is accepted if its key signed it, alone or within a proof', async () => {
    const copy = await Copy.of(2, 3);
    await copy.seal();
    const sealed = last(await readHeads(copy.log));
    const given = sealedHeadObject(sealed);
    const expected = { head: sealed.head };
    expect(readArchivedHead(JSON.stringify(given))).toEqual(expected);
    expect(readArchivedHead(JSON.stringify({ postings: [], head: given }))).toEqual(expected);
    for (const changed of [
      ...['', '[]', 'null', '{"head":null}'],
      JSON.stringify({ ...given, head: { ...sealed.head, treeSize: '1' } }),
      JSON.stringify({ ...given, head: { ...sealed.head, treeSize: '-1' } }),
      JSON.stringify({ ...given, public_key: newSigner().publicKey }),
      JSON.stringify({ ...given, signature: 'AAAA' }),
    ])
      expect(readArchivedHead(changed)).toBeUndefined();
  });
});
