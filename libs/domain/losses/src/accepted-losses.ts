import { type EventStore, type Position } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { type LossLists } from './loss-lists.js';
import {
  type LossesAccepted,
  lossesStream,
  type LossKind,
  type LossList,
  lossListStream,
} from './losses.events.js';

/** The place of one part of a list, the first and last of its ids, and the positions of the list's events. */
interface Part {
  readonly list: string;
  readonly revision: bigint;
  readonly from: Position;
  readonly to: Position;
  readonly first: string;
  readonly last: string;
}

/** The parts of one kind, by their first id. `lastUpTo`: the greatest last id of the parts up to each one. */
interface PartIndex {
  readonly parts: readonly Part[];
  readonly lastUpTo: readonly string[];
}

const pageEvents = 100;
/** Parts in memory. The checks ask in the order of the log, so one or two are in use at a time. */
const maxLoaded = 16;

/**
 * The losses that two admins accepted, id by id (AUD-32). Memory: a few parts, and an entry for each 2,000 ids. A list
 * whose contents are not those that were accepted covers nothing.
 */
export class AcceptedLosses {
  private readonly loaded = new Map<Part, ReadonlySet<string>>();

  private constructor(
    private readonly lists: LossLists,
    private readonly index: Readonly<Record<LossKind, PartIndex>>,
    /** The streams of lists whose contents differ from those that were accepted, or that cannot be read. */
    readonly broken: readonly string[],
  ) {}

  /**
   * Reads what was accepted up to now.
   * @throws EventStoreUnavailable
   */
  static async load(
    store: Pick<EventStore, 'readStream'>,
    lists: LossLists,
  ): Promise<AcceptedLosses> {
    const parts: Record<LossKind, Part[]> = { messages: [], claims: [] };
    const broken: string[] = [];
    try {
      for await (const accepted of readAcceptances(store)) {
        const found = await partsOf(lists, accepted);
        if (!found) broken.push(lossListStream(accepted.list));
        for (const kind of ['messages', 'claims'] as const)
          for (const part of found?.[kind] ?? []) parts[kind].push(part);
      }
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      broken.push(lossesStream);
    }
    const index = { messages: indexOf(parts.messages), claims: indexOf(parts.claims) };
    return new AcceptedLosses(lists, index, broken);
  }

  /**
   * True if exactly this loss was accepted, within the range of positions that both admins saw.
   * @param position of the event that names it
   * @returns a promise only if a list may contain the id
   * @throws EventStoreUnavailable
   */
  covers(kind: LossKind, id: string, position: Position): boolean | Promise<boolean> {
    const candidates = partsAround(this.index[kind], id).filter(
      ({ from, to }) => from <= position && position <= to,
    );
    return candidates.length === 0 ? false : this.anyHas(candidates, id);
  }

  private async anyHas(candidates: readonly Part[], id: string): Promise<boolean> {
    for (const part of candidates) if ((await this.idsOf(part)).has(id)) return true;
    return false;
  }

  private async idsOf(part: Part): Promise<ReadonlySet<string>> {
    const ids =
      this.loaded.get(part) ?? new Set(await this.lists.readPart(part.list, part.revision));
    // The part that was used last is deleted last.
    this.loaded.delete(part);
    this.loaded.set(part, ids);
    const [oldest] = this.loaded.keys();
    if (this.loaded.size > maxLoaded && oldest) this.loaded.delete(oldest);
    return ids;
  }
}

async function* readAcceptances(
  store: Pick<EventStore, 'readStream'>,
): AsyncGenerator<LossesAccepted['data'], void, void> {
  for (let next = 0n; ; next += BigInt(pageEvents)) {
    const page = await store.readStream<LossesAccepted>(lossesStream, next, pageEvents);
    for (const { data } of page) yield data;
    if (page.length < pageEvents) return;
  }
}

/** @returns undefined if the list is not the one that two people accepted */
async function partsOf(
  lists: LossLists,
  accepted: LossesAccepted['data'],
): Promise<Readonly<Record<LossKind, readonly Part[]>> | undefined> {
  const { list, proposedBy, confirmedBy } = accepted;
  const [from, to] = [BigInt(accepted.fromPosition), BigInt(accepted.toPosition)];
  const parts: Record<LossKind, Part[]> = { messages: [], claims: [] };
  try {
    const found = await lists.read(list, ({ revision, data: { kind, ids } }) => {
      const [first, last] = [ids[0], ids.at(-1)];
      if (first !== undefined && last !== undefined)
        parts[kind].push({ list, revision, from, to, first, last });
    });
    const isOfTwo = proposedBy !== confirmedBy && found.listedBy === proposedBy;
    return isOfTwo && isSameList(found, accepted) ? parts : undefined;
  } catch (error) {
    if (error instanceof DependencyUnavailable) throw error;
    return undefined;
  }
}

/** True if a list has the contents that the digest and the counts name. */
export function isSameList(
  found: Pick<LossList, 'messages' | 'claims' | 'digest'>,
  { messages, claims, digest }: Pick<LossList, 'messages' | 'claims' | 'digest'>,
): boolean {
  return found.digest === digest && found.messages === messages && found.claims === claims;
}

function indexOf(parts: readonly Part[]): PartIndex {
  const sorted = parts.toSorted((one, other) => compare(one.first, other.first));
  const lastUpTo: string[] = [];
  let greatest = '';
  for (const { last } of sorted) {
    if (last > greatest) greatest = last;
    lastUpTo.push(greatest);
  }
  return { parts: sorted, lastUpTo };
}

/** Returns the parts whose range of ids includes this one. */
function partsAround({ parts, lastUpTo }: PartIndex, id: string): readonly Part[] {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((parts[middle]?.first ?? '') <= id) low = middle + 1;
    else high = middle;
  }
  const around: Part[] = [];
  for (let at = low - 1; at >= 0 && (lastUpTo[at] ?? '') >= id; at -= 1) {
    const part = parts[at];
    if (part && part.last >= id) around.push(part);
  }
  return around;
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
