import { describe, expect, it } from '@jest/globals';
import { Copy, CopiedTiles } from '../test/copy.js';
import { UnreadablePosting } from './places.js';
import { HistoryChanged, readHeads } from './sealer.js';

const dayMs = 86_400_000;

describe('sealing', () => {
  it('makes a head for every day that is over, in order, even without postings', async () => {
    const copy = await Copy.of(3, 5);
    const heads = await copy.seal();
    expect(heads.map(({ date }) => date)).toEqual([
      ...['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04'],
    ]);
    const sizes = heads.map(({ treeSize }) => Number(treeSize));
    expect(sizes).toEqual([4, 8, 12, 12]);
    expect(heads[3]).toMatchObject({
      root: heads[2]?.root,
      previousRoot: heads[2]?.root,
      previousTreeSize: '12',
    });
    expect(await copy.check()).toMatchObject({
      named: [],
      faults: 0,
      heads: 4,
      postings: 12,
      sealedTo: '2026-11-04',
      unsealed: 4,
      evidence: { opened: 15 + 9 + 3 + 9 + 3, sealed: 0, signatures: 15, messages: 39 },
    });
  });

  it('waits for the margin, and continues from the day at which it ended', async () => {
    const copy = await Copy.of(2, 3);
    const midnight = Date.parse('2026-11-01T21:00:00Z');
    expect(await copy.seal(midnight + 299_000)).toEqual([]);
    expect(await copy.sealer().nextAt()).toBeUndefined();
    expect(await copy.seal(midnight + 300_000)).toMatchObject([{ date: '2026-11-01' }]);
    expect(await copy.sealer().nextAt()).toBe('2026-11-02T21:05:00.000Z');
    expect(await copy.seal(midnight + 300_000)).toEqual([]);
    expect(await copy.seal(midnight + dayMs + 300_000)).toMatchObject([{ date: '2026-11-02' }]);
    expect(await copy.check()).toMatchObject({ faults: 0, heads: 2 });
  });

  it('continues after an event that cannot be read', async () => {
    const copy = await Copy.of(2, 3);
    const [noon, midnight] = ['12', '21'].map((hour) => Date.parse(`2026-11-01T${hour}:00:00Z`));
    const torn = copy.log.records.findLast(({ createdMs }) => createdMs < (midnight ?? 0));
    Object.assign(torn ?? {}, { data: Buffer.from('"torn"') });
    expect(await copy.seal(noon)).toEqual([]);
    expect(copy.tiles.now.last?.id).toBe(torn?.id);
    const dates = (await copy.seal()).map(({ date }) => date);
    expect(dates).toEqual(['2026-11-01', '2026-11-02', '2026-11-03']);
  });

  it('assigns an event that is recorded late to the next day: what is sealed keeps its size', async () => {
    const copy = await Copy.of(2, 3);
    const isOfTheFirst = ({ createdMs }: { createdMs: number }) =>
      createdMs < Date.parse('2026-11-01T21:00:00Z');
    const rest = copy.log.records.filter((record) => !isOfTheFirst(record));
    copy.log.records = copy.log.records.filter(isOfTheFirst);
    await copy.seal(Date.parse('2026-11-01T21:10:00Z'));
    const [first] = await readHeads(copy.log);
    for (const [index, record] of rest.entries()) {
      if (index === 0) record.createdMs = Date.parse('2026-11-01T20:59:59Z');
      record.position += 1000n;
      copy.log.records.push(record);
    }
    await copy.project();
    await copy.seal();
    const heads = await readHeads(copy.log);
    expect(heads[0]).toEqual(first);
    expect(await copy.check()).toMatchObject({ named: [], faults: 0, heads: 3 });
  });

  it('makes trees that are gone again from the log, tile by tile the same', async () => {
    const copy = await Copy.of(2, 130);
    await copy.seal();
    const { tiles, now } = copy.tiles;
    Object.assign(copy.tiles, new CopiedTiles());
    await copy.seal();
    const byKey = (one: (typeof tiles)[0]) => `${one.tree}/${one.level}/${one.tile}`;
    const sorted = (all: typeof tiles) => all.toSorted((a, b) => (byKey(a) < byKey(b) ? -1 : 1));
    expect(copy.tiles.now.events).toBeGreaterThanOrEqual(now.events);
    for (const [index, tile] of sorted(tiles).entries()) {
      const again = sorted(copy.tiles.tiles)[index];
      expect(again).toMatchObject({ ...tile, hashes: expect.anything() });
      expect(again?.hashes.subarray(0, tile.hashes.length)).toEqual(tile.hashes);
    }
    expect(await copy.check()).toMatchObject({ faults: 0 });
  });

  /** A history in which somebody else rewrote the data of a posting. */
  async function withPosting(data: (said: string) => string): Promise<Copy> {
    const copy = await Copy.of(2, 3);
    const posted = copy.log.records.find(({ type }) => type === 'WalletPosted');
    if (posted) posted.data = Buffer.from(data(posted.data.toString()));
    return copy;
  }

  it.each([
    ['are no JSON object', (said: string) => `[${said}]`],
    ['are no JSON', (said: string) => said.slice(1)],
    [
      'have no list of legs',
      (said: string) =>
        JSON.stringify({ ...(JSON.parse(said) as object), legs: 'none', feeMinor: 1 }),
    ],
  ])(
    'continues past a posting whose data %s: neither the sealer nor the check counts it',
    async (_what, data) => {
      const copy = await withPosting(data);
      expect((await copy.seal()).map(({ treeSize }) => treeSize)).toEqual(['2', '5', '5']);
      const { named } = await copy.check();
      expect(named.filter(({ in: where }) => ['heads', 'audit_tiles'].includes(where))).toEqual([]);
    },
  );

  it('names a posting that it cannot read, and seals only the days before it', async () => {
    const copy = await Copy.of(2, 3);
    const posted = copy.log.records.findLast(({ type }) => type === 'WalletPosted');
    if (!posted) throw new Error('there is one');
    const read = posted.data;
    posted.data = Buffer.from(read.toString().replace(/"amountMinor":"\d+"/, '"amountMinor":1'));
    await expect(copy.seal()).rejects.toThrow(UnreadablePosting);
    await expect(copy.seal()).rejects.toThrow(posted.id);
    expect((await readHeads(copy.log)).map(({ head }) => head.date)).toEqual(['2026-11-01']);
    posted.data = read;
    expect((await copy.seal())[0]).toMatchObject({ date: '2026-11-02', treeSize: '6' });
  });

  describe('signs nothing', () => {
    it('if the trees are not those of the last head', async () => {
      const copy = await Copy.of(2, 3);
      await copy.seal(Date.parse('2026-11-01T21:10:00Z'));
      const tile = copy.tiles.tiles.find(({ tree }) => tree === 'postings');
      tile?.hashes.writeUInt8(tile.hashes.readUInt8(0) ^ 1, 0);
      await expect(copy.seal()).rejects.toThrow(HistoryChanged);
      expect(await readHeads(copy.log)).toHaveLength(1);
    });

    it('if the log changed before the last head and the trees are made again', async () => {
      const copy = await Copy.of(2, 3);
      await copy.seal(Date.parse('2026-11-01T21:10:00Z'));
      Object.assign(copy.tiles, new CopiedTiles());
      const [record] = copy.log.records;
      if (record) record.createdMs += 1;
      await expect(copy.seal()).rejects.toThrow(HistoryChanged);
      expect(await readHeads(copy.log)).toHaveLength(1);
    });

    it('if the log lacks the event up to which the trees go', async () => {
      const copy = await Copy.of(2, 3);
      await copy.seal(Date.parse('2026-11-01T21:10:00Z'));
      const last = copy.log.records.find(({ position }) => position === copy.tiles.now.position);
      if (last) last.id = last.id.replace(/^./, (first) => (first === 'f' ? '0' : 'f'));
      await expect(copy.seal()).rejects.toThrow(HistoryChanged);
    });

    it('if the log ends before what was sealed', async () => {
      const copy = await Copy.of(2, 3);
      await copy.seal(Date.parse('2026-11-01T21:10:00Z'));
      Object.assign(copy.tiles, new CopiedTiles());
      copy.log.records = copy.log.records.filter(
        ({ stream }, index) => index < 3 || stream === 'platform-audit',
      );
      await expect(copy.seal()).rejects.toThrow(HistoryChanged);
    });
  });
});
