import {
  type DayHead,
  fromHex,
  hex,
  type InclusionProof,
  PostingProofs,
  ProofFails,
  type ProofOfStream,
  type ProvedPosting,
  provesConsistency,
  provesInclusion,
  toSize,
  type TreeHead,
} from '#domain/audit';
import { type EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { type Clock, type Instant, instantFromMs } from '#domain/kernel';
import { dayAfter, dayAt, endOfDay } from '#infra/runtime';
import { sha256 } from '#shared/signing';
import { type Leaf, leafOf } from './places.js';
import { readNewestHead } from './sealer.js';
import { indexIn, proverOf, type TileStore, type TreeName } from './tiles.js';

interface ProofsOptions {
  readonly store: Pick<EventStore, 'readStream' | 'readLast'>;
  readonly tiles: TileStore;
  readonly clock: Clock;
  readonly timezone: string;
  readonly marginMs: number;
}

/** Proof that both trees of a head begin with those of an earlier head; lower-case hex (AUD-27). */
export interface ConsistencyProof {
  readonly postings: readonly string[];
  readonly history: readonly string[];
}

/** @throws ProofFails if they do not; TilesDamaged */
export async function consistencyOf(
  tiles: TileStore,
  before: DayHead,
  after: DayHead,
): Promise<ConsistencyProof> {
  const path = async (
    tree: TreeName,
    of: readonly ['treeSize', 'root'] | readonly ['historySize', 'historyRoot'],
  ): Promise<readonly string[]> => {
    const [old, grown] = [before, after].map((head) => ({
      size: toSize(head[of[0]]),
      root: fromHex(head[of[1]]),
    })) as [TreeHead, TreeHead];
    const found =
      old.size > grown.size ? [] : await proverOf(tiles, tree).consistency(old.size, grown.size);
    if (!provesConsistency(sha256, old, grown, found))
      throw new ProofFails(
        `history up to ${after.date} does not begin with what the head of ${before.date} sealed: run audit check --head with it`,
      );
    return found.map(hex);
  };
  return {
    postings: await path('postings', ['treeSize', 'root']),
    history: await path('history', ['historySize', 'historyRoot']),
  };
}

/** Makes proofs from the tiles. */
export class RecordedProofs extends PostingProofs {
  constructor(private readonly options: ProofsOptions) {
    super();
  }

  override async ofStream(events: readonly RecordedEvent[]): Promise<ProofOfStream> {
    const { store, clock } = this.options;
    const nowMs = clock.nowMs();
    const head = await readNewestHead(store);
    const postings: ProvedPosting[] = [];
    for (const event of events) {
      const leaf = await leafOf(event, () => Promise.resolve(events[0]));
      if (!leaf) continue;
      const { position } = event;
      const inclusion = head && (await this.#inclusion(leaf, position, head.head));
      const sealedBy = inclusion ? undefined : this.#expected(event.recordedAt, head?.head, nowMs);
      const leafHash = hex(leaf.hash);
      postings.push({ position, posting: leaf.posting, leafHash, inclusion, sealedBy });
    }
    return { postings, head };
  }

  async #inclusion(
    { hash, posting }: Leaf,
    position: bigint,
    head: DayHead,
  ): Promise<InclusionProof | undefined> {
    const { tiles } = this.options;
    // Read the state before the tile: the trees may grow between the two reads.
    const { position: readTo } = await tiles.state();
    const tile = await tiles.leavesAt('postings', position);
    const index = tile && indexIn(tile, hash);
    if (index === undefined) {
      if (position > readTo) return undefined;
      throw new ProofFails(
        `posting ${posting.id} is not in the trees that were made of history: run audit check`,
      );
    }
    const treeSize = toSize(head.treeSize);
    if (index >= treeSize) return undefined;
    const path = await proverOf(tiles, 'postings').inclusion(index, treeSize);
    if (!provesInclusion(sha256, { leaf: hash, index, size: treeSize, path }, fromHex(head.root)))
      throw new ProofFails(`the trees are not those that ${head.date} sealed: run audit check`);
    return { index, treeSize, path: path.map(hex) };
  }

  /** Returns the time of the seal of the event's own day, or of the next seal if that day is already sealed. */
  #expected(recordedAt: Instant, last: DayHead | undefined, nowMs: number): Instant {
    const { timezone, marginMs } = this.options;
    const own = dayAt(Date.parse(recordedAt), timezone);
    const next = last ? dayAfter(last.date) : own;
    const day = own > next ? own : next;
    const due = Date.parse(endOfDay(day, timezone)) + marginMs;
    return instantFromMs(Math.max(due, nowMs));
  }
}
