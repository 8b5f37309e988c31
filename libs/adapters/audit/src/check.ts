import {
  auditStream,
  recordHash,
  type SealedHead,
  type StoredLog,
  type StoredRecord,
} from '#domain/audit';
import { type EventStore, type Position, type RecordedEvent } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { isBalanced } from '#domain/ledger';
import { AcceptedLosses, LossLists } from '#domain/losses';
import { sha256, sha256Hex } from '#shared/signing';
import { projectedPrefixes } from '#views/view-set';
import { CheckedTree } from './checked-tree.js';
import { Erasures } from './erasures.js';
import { EvidenceCheck, type EvidenceCounts, type EvidenceTerms } from './evidence.js';
import { type Fault } from './fault.js';
import { type DueDays, HeadsToMeet, type ArchivedHead, sizeOr, type TrustedKey } from './heads.js';
import { LedgerComparison, type LedgerRows } from './ledger-rows.js';
import { firstEventIn, type Leaf, leafOf } from './places.js';
import { readHeads } from './sealer.js';
import { type AuditState, type TileStore, type TreeName } from './tiles.js';

export interface CheckOptions {
  readonly log: StoredLog;
  readonly store: EventStore;
  readonly tiles: TileStore;
  readonly ledger: LedgerRows;
  readonly evidence: EvidenceTerms;
  /** The only keys that may have signed heads. If undefined, any key may have. */
  readonly trustedKeys?: readonly TrustedKey[];
  /** Heads that were archived outside the service. */
  readonly archivedHeads?: readonly ArchivedHead[];
  readonly days: DueDays;
  /** Maximum number of faults to name; the check counts all of them. */
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
  /** The position up to which the ledger's views were compared. */
  readonly ledgerPosition: Position;
  /** True if events are quarantined: the check then compares no balances, and no entries after that position. */
  readonly isLedgerQuarantined: boolean;
  readonly evidence: EvidenceCounts;
  readonly heads: number;
  /** Date of the last head; undefined if no day is sealed yet. */
  readonly sealedTo: string | undefined;
  /** Events after the last head. Only the chains of their postings bind them yet. */
  readonly unsealed: number;
  readonly keyIds: readonly string[];
  readonly faults: number;
  readonly named: readonly Fault[];
  readonly seconds: number;
}

/** Events per page; one statement reads a page's messages. */
const pageEvents = 500;

/**
 * Reads the whole log once, in order and as bytes. It compares the log with everything derived from it: the trees and
 * their signed heads, the ledger's chains and sums, and the evidence. It only reads. In memory it keeps only the open
 * accounts, heads and keys.
 * @throws DependencyUnavailable
 */
export async function checkHistory(options: CheckOptions): Promise<CheckReport> {
  // Read the end of the log first: each head that the log contains up to here is then among the heads read below.
  const upTo = await options.store.head(projectedPrefixes);
  // Read the tiles after the heads: a day sealed meanwhile writes its tiles before its head.
  const heads = await headsOrFault(options.store);
  return new HistoryCheck(options, {
    upTo,
    heads,
    state: await options.tiles.state(),
    ledger: await options.ledger.standing(),
    losses: await AcceptedLosses.load(options.store, new LossLists(options.store, sha256Hex)),
  }).run();
}

/** Unreadable heads are a fault; the walk along the log names the event. */
async function headsOrFault(store: EventStore): Promise<readonly SealedHead[] | undefined> {
  try {
    return await readHeads(store);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return undefined;
  }
}

/** An unreachable server says nothing about the history. */
function isUnavailable(error: unknown): boolean {
  return error instanceof DependencyUnavailable;
}

/** A record with its decoded event, or the reason why it cannot be decoded. */
interface Read {
  readonly record: StoredRecord;
  readonly event: RecordedEvent | undefined;
  readonly why: string | undefined;
}

interface Begun {
  readonly state: AuditState;
  /** Undefined if the heads cannot be read. */
  readonly heads: readonly SealedHead[] | undefined;
  readonly ledger: Awaited<ReturnType<LedgerRows['standing']>>;
  readonly upTo: Position;
  readonly losses: AcceptedLosses;
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
    const { state, heads = [], losses } = begun;
    this.#evidence = new EvidenceCheck(evidence, new Erasures(options.store), losses);
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
    this.#heads = new HeadsToMeet(heads, options, onFault);
  }

  async run(): Promise<CheckReport> {
    const { options, begun } = this;
    if (!begun.heads)
      this.#fault({ in: 'heads', stream: auditStream, tells: 'the heads cannot be read' });
    for (const stream of begun.losses.broken)
      this.#fault({
        in: 'events',
        stream,
        tells: 'it is not the list of losses that was accepted',
      });
    this.#heads.checkSignatures();
    this.#heads.checkKept();
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
      isLedgerQuarantined: begun.ledger.balances === undefined,
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

  /** Reads the messages of a page with one statement. */
  async #takeAll(page: readonly Read[]): Promise<void> {
    await this.#evidence.expect(page.flatMap(({ event }) => event ?? []));
    for (const read of page) await this.#take(read);
  }

  async #take({ record, event, why }: Read): Promise<void> {
    const { history, postings } = this.#trees;
    this.#heads.checkTime(record, history.size);
    if (this.begun.heads && record.position <= this.begun.upTo) this.#heads.checkListed(record);
    await history.append(recordHash(sha256, record), record);
    if (why !== undefined) this.#eventFault(record, why);
    if (event) {
      const fault = await this.#faultOfEvidence(event);
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

  async #faultOfEvidence(event: RecordedEvent): Promise<string | undefined> {
    try {
      return await this.#evidence.faultOf(event);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      return 'it is not known if its evidence was erased: an event that may record it cannot be read';
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
