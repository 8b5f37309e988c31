import {
  auditStream,
  Frontier,
  headText,
  hex,
  recordHash,
  type SealedHead,
  type StoredLog,
  type StoredRecord,
  toSize,
} from '#domain/audit';
import { type EventStore, type Position, type RecordedEvent } from '#domain/event-sourcing';
import { DependencyUnavailable, type Instant } from '#domain/kernel';
import { dayAfter, endOfDay } from '#infra/runtime';
import { isBalanced } from '#domain/ledger';
import { fingerprintOf, sha256, verifyHead } from '#shared/signing';
import { projectedPrefixes } from '#views/view-set';
import { EvidenceCheck, type EvidenceCounts, type EvidenceTerms } from './evidence.js';
import { LedgerComparison, type LedgerRows } from './ledger-rows.js';
import { firstEventIn, type Leaf, leafOf } from './places.js';
import { readHeads } from './sealer.js';
import {
  type AuditState,
  beginsTile,
  hashAt,
  isTileLevel,
  type Tile,
  tileOf,
  type TileStore,
  type TreeName,
} from './tiles.js';

/** Something that is not as it was, and where. */
export interface Fault {
  /** Of the log, of the heads, or of a table. */
  readonly in: 'events' | 'heads' | 'ledger_entries' | 'balances' | 'audit_tiles';
  readonly stream?: string;
  readonly eventId?: string;
  readonly position?: string;
  /** Of a head. */
  readonly date?: string;
  readonly tells: string;
}

export interface CheckOptions {
  readonly log: StoredLog;
  readonly store: EventStore;
  readonly tiles: TileStore;
  readonly ledger: LedgerRows;
  readonly evidence: EvidenceTerms;
  /** The fingerprints of the only keys that may have signed heads; any key where none is given. */
  readonly trustedKeys?: readonly string[];
  /** Faults named at most; all are counted. */
  readonly maxNamed: number;
  readonly onProgress?: (progress: CheckProgress) => void;
}

export interface CheckProgress {
  readonly events: number;
  readonly position: Position;
  readonly upTo: Position;
}

export interface CheckReport {
  readonly events: number;
  readonly postings: number;
  readonly ledgerEntries: number;
  /** Up to where the ledger's views were compared. */
  readonly ledgerPosition: Position;
  readonly evidence: EvidenceCounts;
  readonly heads: number;
  /** Of the last head; undefined where nothing was sealed yet. */
  readonly sealedTo: string | undefined;
  /** Events behind the last head, which nothing binds yet but the chains of their postings. */
  readonly unsealed: number;
  readonly keyIds: readonly string[];
  readonly faults: number;
  readonly named: readonly Fault[];
  readonly seconds: number;
}

/** Their messages are read by one statement. */
const pageEvents = 500;

/**
 * Reads the whole log once, in order and by its bytes, and holds it against all that follows from it: the trees and
 * their signed heads, the ledger's chains and sums, and the evidence. It reads only, and beside the open accounts,
 * heads and keys it keeps nothing in memory.
 * @throws DependencyUnavailable
 */
export async function checkHistory(options: CheckOptions): Promise<CheckReport> {
  return new HistoryCheck(options, {
    state: await options.tiles.state(),
    heads: await headsOrFault(options.store),
    ledger: await options.ledger.standing(),
    upTo: await options.store.head(projectedPrefixes),
  }).run();
}

/** Heads that cannot be read are a fault, of which the walk names the event. */
async function headsOrFault(store: EventStore): Promise<readonly SealedHead[] | undefined> {
  try {
    return await readHeads(store);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return undefined;
  }
}

/** A server that does not answer says nothing of history. */
function isUnavailable(error: unknown): boolean {
  return error instanceof DependencyUnavailable;
}

/** An event with what it says, or why nobody can tell. */
interface Read {
  readonly record: StoredRecord;
  readonly event: RecordedEvent | undefined;
  readonly why: string | undefined;
}

interface Begun {
  readonly state: AuditState;
  /** Undefined where they cannot be read. */
  readonly heads: readonly SealedHead[] | undefined;
  readonly ledger: Awaited<ReturnType<LedgerRows['standing']>>;
  readonly upTo: Position;
}

class HistoryCheck {
  readonly #begunAt = performance.now();
  readonly #named: Fault[] = [];
  readonly #evidence: EvidenceCheck;
  readonly #ledger: LedgerComparison;
  readonly #trees: Readonly<Record<TreeName, CheckedTree>>;
  readonly #heads: HeadsToMeet;
  #faults = 0;

  constructor(
    private readonly options: CheckOptions,
    private readonly begun: Begun,
  ) {
    const { tiles, evidence, ledger } = options;
    const { state, heads = [] } = begun;
    this.#evidence = new EvidenceCheck(evidence);
    this.#ledger = new LedgerComparison(ledger, begun.ledger, ({ table, ...fault }) => {
      this.#fault({ in: table, ...fault });
    });
    const onFault = (fault: Fault): void => {
      this.#fault(fault);
    };
    this.#trees = {
      history: new CheckedTree(tiles, 'history', { size: state.events, onFault }),
      postings: new CheckedTree(tiles, 'postings', { size: state.postings, onFault }),
    };
    this.#heads = new HeadsToMeet(heads, options.trustedKeys, onFault);
  }

  async run(): Promise<CheckReport> {
    const { options, begun } = this;
    if (!begun.heads)
      this.#fault({ in: 'heads', stream: auditStream, tells: 'the heads cannot be read' });
    this.#heads.checkSignatures();
    this.#heads.checkTiles(begun.state);
    this.#heads.meet(this.#trees.history, this.#trees.postings);
    let page: Read[] = [];
    for await (const record of options.log.readStored('start', projectedPrefixes)) {
      page.push(this.#read(record));
      if (page.length < pageEvents) continue;
      await this.#takeAll(page);
      page = [];
      const events = this.#trees.history.size;
      options.onProgress?.({ events, position: record.position, upTo: begun.upTo });
    }
    await this.#takeAll(page);
    await this.#finish();
    const { history, postings } = this.#trees;
    const { heads = [] } = begun;
    return {
      events: history.size,
      postings: postings.size,
      ledgerEntries: this.#ledger.entries,
      ledgerPosition: begun.ledger.position,
      evidence: this.#evidence.counts,
      heads: heads.length,
      sealedTo: heads.at(-1)?.head.date,
      unsealed: Math.max(0, history.size - sizeOr(heads.at(-1)?.head.historySize, 0)),
      keyIds: [...new Set(heads.map(({ head }) => head.keyId))],
      faults: this.#faults,
      named: this.#named,
      seconds: (performance.now() - this.#begunAt) / 1000,
    };
  }

  /** The messages of a page are read together. */
  async #takeAll(page: readonly Read[]): Promise<void> {
    await this.#evidence.expect(page.flatMap(({ event }) => event ?? []));
    for (const read of page) await this.#take(read);
  }

  async #take({ record, event, why }: Read): Promise<void> {
    const { history, postings } = this.#trees;
    this.#heads.checkTime(record, history.size);
    await history.append(recordHash(sha256, record), record);
    if (why !== undefined) this.#eventFault(record, why);
    if (event) {
      const fault = this.#evidence.faultOf(event);
      if (fault !== undefined) this.#eventFault(record, fault);
      const leaf = await this.#leafOf(event);
      if (leaf) {
        await postings.append(leaf.hash, record);
        this.#checkPosting(event, leaf);
        await this.#ledger.posted(event, leaf);
      }
    }
    this.#heads.meet(history, postings);
  }

  #read(record: StoredRecord): Read {
    try {
      return { record, event: record.decode(), why: undefined };
    } catch (error) {
      const why = error instanceof Error ? error.message : 'it cannot be read';
      return { record, event: undefined, why };
    }
  }

  async #leafOf(event: RecordedEvent): Promise<Leaf | undefined> {
    try {
      return await leafOf(event, firstEventIn(this.options.store));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      this.#eventFault(event, error instanceof Error ? error.message : 'it has no leaf');
      return undefined;
    }
  }

  #checkPosting(event: RecordedEvent, { posting }: Leaf): void {
    if (!isBalanced(posting.legs)) this.#eventFault(event, 'its legs do not sum to zero');
    const own = (event.data as { readonly railCommitment?: string }).railCommitment;
    const { commitment } = event.metadata;
    if (own !== undefined && commitment !== undefined && own !== commitment)
      this.#eventFault(event, 'its commitment to the rail’s report is not that of its evidence');
  }

  async #finish(): Promise<void> {
    const { history, postings } = this.#trees;
    const { last } = this.begun.state;
    for (const tree of [history, postings])
      tree.finish(last && { stream: last.stream, eventId: last.id });
    this.#heads.finish(history.size);
    await this.#ledger.finish();
    for (const [of, sum] of this.#ledger.unbalanced())
      this.#fault({ in: 'balances', tells: `all legs of ${of} sum to ${sum}, not to zero` });
  }

  #eventFault({ stream, id, position }: StoredRecord | RecordedEvent, tells: string): void {
    this.#fault({ in: 'events', stream, eventId: id, position: String(position), tells });
  }

  #fault(fault: Fault): void {
    this.#faults += 1;
    if (this.#named.length < this.options.maxNamed) this.#named.push(fault);
  }
}

interface TreeToCheck {
  /** Of the tree that the tiles are of. */
  readonly size: number;
  readonly onFault: (fault: Fault) => void;
}

interface Node {
  readonly level: number;
  readonly index: number;
  readonly hash: Uint8Array;
}

/** A tree as the log gives it, held against its tiles hash by hash. */
class CheckedTree {
  readonly #frontier = new Frontier(sha256);
  readonly #tiles = new Map<number, { readonly key: number; readonly tile: Tile | undefined }>();
  /** Leaves that the log lacks, less those that it has too many. */
  #shift = 0;

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
        ...{ in: 'audit_tiles', ...place },
        tells: `tile ${tile.tile} of ${this.tree} says another position of its first leaf`,
      });
    if (hashAt(tile, at)?.equals(hash) === true) return;
    const what = this.tree === 'history' ? 'event' : 'posting';
    if (hashAt(await this.#tileAt(0, at + 1), at + 1)?.equals(hash) === true) {
      this.#shift += 1;
      this.of.onFault({ in: 'events', ...place, tells: `${what} ${at} is missing before it` });
    } else if (at > 0 && hashAt(await this.#tileAt(0, at - 1), at - 1)?.equals(hash) === true)
      // The one before it was too many, and was named.
      this.#shift -= 1;
    else
      this.of.onFault({
        in: 'events',
        ...place,
        tells: `it is not what was noted as ${what} ${at}`,
      });
  }

  async #compareNode(
    { level, index, hash }: Node,
    place: Pick<Fault, 'stream' | 'eventId' | 'position'>,
  ): Promise<void> {
    if (this.#shift !== 0 || hashAt(await this.#tileAt(level, index), index)?.equals(hash) === true)
      return;
    this.of.onFault({
      ...{ in: 'audit_tiles', ...place },
      tells: `level ${level} of ${this.tree} has another hash at ${index} than its leaves give`,
    });
  }

  /** @param last the event up to which the tiles were made */
  finish(last: Pick<Fault, 'stream' | 'eventId'> | undefined): void {
    if (this.size < this.of.size)
      this.of.onFault({
        ...{ in: 'events', ...last },
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

/** The heads in their order, each to be met where the trees have its sizes. */
class HeadsToMeet {
  #next = 0;
  #end: { readonly of: number; readonly at: Instant } | undefined;

  constructor(
    private readonly heads: readonly SealedHead[],
    private readonly trustedKeys: readonly string[] | undefined,
    private readonly onFault: (fault: Fault) => void,
  ) {}

  checkSignatures(): void {
    for (const [index, sealed] of this.heads.entries()) {
      const { head, publicKey, signature } = sealed;
      const before = this.heads[index - 1]?.head;
      if (before && head.date !== dayAfterOr(before.date))
        this.#fault(sealed, `it follows ${before.date}: a day between them is missing`);
      if (fingerprintOf(publicKey) !== head.keyId)
        this.#fault(sealed, 'its key is not the one whose fingerprint it names');
      if (this.trustedKeys && !this.trustedKeys.includes(head.keyId))
        this.#fault(sealed, 'its key is none of the trusted ones');
      if (!verifyHead(publicKey, headText(head), signature))
        this.#fault(sealed, 'its signature does not verify');
    }
  }

  /** The tiles reach as far as the heads do. */
  checkTiles({ events, postings }: AuditState): void {
    const last = this.heads.at(-1)?.head;
    if (sizeOr(last?.historySize, 0) > events || sizeOr(last?.treeSize, 0) > postings)
      this.onFault({
        in: 'audit_tiles',
        tells: 'the trees end before the last head: audit seal makes them again',
      });
  }

  /** No event of a sealed day's part of history was recorded after the day. */
  checkTime(record: StoredRecord, index: number): void {
    const sealed = this.heads[this.#next];
    if (!sealed || index >= sizeOr(sealed.head.historySize, 0)) return;
    if (this.#end?.of !== this.#next) this.#end = { of: this.#next, at: endOr(sealed) };
    if (record.recordedAt >= this.#end.at)
      this.onFault({
        ...{ in: 'events', stream: record.stream, eventId: record.id },
        ...{ position: String(record.position), date: sealed.head.date },
        tells: `it was recorded after ${sealed.head.date}, whose head holds it`,
      });
  }

  meet(history: CheckedTree, postings: CheckedTree): void {
    for (
      let sealed = this.heads[this.#next];
      sealed && sizeOr(sealed.head.historySize, -1) <= history.size;
      sealed = this.heads[this.#next]
    ) {
      this.#next += 1;
      const { historySize, historyRoot, treeSize, root } = sealed.head;
      if (sizeOr(historySize, -1) !== history.size || historyRoot !== history.root())
        this.#fault(sealed, 'the events up to it are not those that it sealed');
      if (sizeOr(treeSize, -1) !== postings.size || root !== postings.root())
        this.#fault(sealed, 'the postings up to it are not those that it sealed');
    }
  }

  finish(size: number): void {
    for (const sealed of this.heads.slice(this.#next))
      this.#fault(
        sealed,
        `it sealed ${sealed.head.historySize} events; the log has ${size} altogether`,
      );
  }

  #fault({ id, head }: SealedHead, tells: string): void {
    this.onFault({ in: 'heads', stream: auditStream, eventId: id, date: head.date, tells });
  }
}

function sizeOr(digits: string | undefined, otherwise: number): number {
  try {
    return digits === undefined ? otherwise : toSize(digits);
  } catch {
    return otherwise;
  }
}

function dayAfterOr(date: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date)) ? dayAfter(date) : '';
}

/** What a head with a damaged date or zone cannot say is found by its signature. */
function endOr({ head }: SealedHead): Instant {
  try {
    return endOfDay(head.date, head.timezone);
  } catch {
    return '9999-12-31T23:59:59.999Z' as Instant;
  }
}
