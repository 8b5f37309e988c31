import {
  auditStream,
  type DayHead,
  type DaySealed,
  type DayToSeal,
  headOf,
  hex,
  recordHash,
  SealDay,
  type SealedHead,
  sealedType,
  type StoredLog,
  type StoredRecord,
  toSize,
} from '#domain/audit';
import { type EventStore, holdsEvent, type Position } from '#domain/event-sourcing';
import { type Ids, type Instant, instantFromMs, type Result } from '#domain/kernel';
import { dayAfter, dayAt, endOfDay } from '#infra/runtime';
import { sha256 } from '#shared/signing';
import { projectedPrefixes } from '#views/view-set';
import { firstEventIn, leafOfStored } from './places.js';
import {
  type AuditState,
  GrowingTree,
  proverOf,
  type TileStore,
  type TreeName,
  TreesMoved,
} from './tiles.js';

/** The history does not contain what was sealed before. The sealer signs nothing (AUD-18). */
export class HistoryChanged extends Error {
  override readonly name = 'HistoryChanged';
}

/** Another key replaced this one, and this process does not have it yet. It signs nothing (AUD-17). */
export class SealKeyReplaced extends Error {
  override readonly name = 'SealKeyReplaced';
  constructor() {
    super(
      'another AUDIT_SEAL_KEY came into use after this one: give this process the newest, or a new one',
    );
  }
}

export interface SealerOptions {
  readonly log: StoredLog;
  readonly store: EventStore;
  readonly tiles: TileStore;
  readonly ids: Ids;
  /** Executes on the command bus, which has the key. */
  readonly execute: (command: SealDay) => Promise<Result<DayHead | undefined, string>>;
  /** Reads the database's clock, which all processes share. A day that is sealed too early stays so for ever (AUD-17). */
  readonly nowMs: () => Promise<number>;
  /** Time zone of the platform's days. */
  readonly timezone: string;
  /** Delay between a day's end and its seal. An append that began before midnight has arrived by then. */
  readonly marginMs: number;
}

const platformPrefix = 'platform-';

/** Maximum number of events per transaction. */
const maxPending = 4096;

/** Reads all heads from the history, oldest first. @throws EventStoreUnavailable */
export async function readHeads(
  store: Pick<EventStore, 'readStream'>,
): Promise<readonly SealedHead[]> {
  const heads: SealedHead[] = [];
  for (const { data, id } of await store.readStream<DaySealed>(auditStream)) {
    // A manipulated head may lack these fields; its signature then does not verify.
    const { signature, publicKey } = data as Partial<DaySealed['data']>;
    const head = headOf(data, heads.at(-1)?.head);
    heads.push({ id, head, signature: signature ?? '', publicKey: publicKey ?? '' });
  }
  return heads;
}

/** Reads the newest head from at most two events, however long the history is. @throws EventStoreUnavailable */
export async function readNewestHead(
  store: Pick<EventStore, 'readStream' | 'readLast'>,
): Promise<SealedHead | undefined> {
  const last = await store.readLast<DaySealed>(auditStream);
  if (!last) return undefined;
  const [before] =
    last.revision === 0n
      ? []
      : await store.readStream<DaySealed>(auditStream, last.revision - 1n, 1);
  const { signature, publicKey } = last.data;
  const head = headOf(last.data, before && headOf(before.data, undefined));
  return { id: last.id, head, signature, publicKey };
}

/**
 * Adds the log to the two trees and seals each day that is over. If the trees are missing, it rebuilds them from the
 * beginning and compares every head on the way.
 */
export class Sealer {
  constructor(private readonly options: SealerOptions) {}

  /**
   * Seals every day that is over, oldest first.
   * @param signal ends it early
   * @returns the heads that it made
   * @throws HistoryChanged; SealKeyReplaced; TreesMoved if another process seals; TilesDamaged; UnreadablePosting;
   *   EventStoreUnavailable
   */
  async run(signal?: AbortSignal): Promise<readonly DayHead[]> {
    const { store, tiles } = this.options;
    const nowMs = await this.options.nowMs();
    const state = await tiles.state();
    if (state.last && !(await holdsEvent(store, state.last)))
      throw new HistoryChanged(
        `the log does not hold event ${state.last.id} of ${state.last.stream}, up to which it was read before`,
      );
    // Read the end of the log first: each head that the log contains up to here is then among the heads read below.
    const upTo = await store.head(projectedPrefixes);
    const heads = await readHeads(store);
    await this.#requireShown(heads, { state, upTo });
    const run = await SealingRun.begin(this.options, state, { heads, nowMs });
    return run.toTheEnd(signal);
  }

  /** Checks that the stream shows each head that the log contains. @throws HistoryChanged if it hides one */
  async #requireShown(
    heads: readonly SealedHead[],
    { state, upTo }: { readonly state: AuditState; readonly upTo: Position },
  ): Promise<void> {
    const shown = new Set(heads.map(({ id }) => id));
    const isAnew = heads.length === 0 || state.events === 0;
    const records = this.options.log.readStored(isAnew ? 'start' : state.position, [
      platformPrefix,
    ]);
    for await (const { type, id, stream, position } of records) {
      if (position > upTo) return;
      if (type === sealedType && !shown.has(id))
        throw new HistoryChanged(`the log holds head ${id} of ${stream}, which its stream hides`);
    }
  }

  /** The time at which the day after the last sealed one may be sealed; undefined if no day is sealed yet. */
  async nextAt(): Promise<Instant | undefined> {
    const last = await readNewestHead(this.options.store);
    if (!last) return undefined;
    const end = endOfDay(dayAfter(last.head.date), this.options.timezone);
    return instantFromMs(Date.parse(end) + this.options.marginMs);
  }
}

/** One pass along the log, from the end of the trees. */
class SealingRun {
  readonly #sealed: DayHead[] = [];
  #pending = 0;
  #last: DayHead | undefined;
  #day: { readonly date: string; readonly end: Instant } | undefined;

  private constructor(
    private readonly options: SealerOptions,
    private state: AuditState,
    private readonly trees: Readonly<Record<TreeName, GrowingTree>>,
    private readonly from: { readonly unmet: SealedHead[]; readonly nowMs: number },
  ) {}

  static async begin(
    options: SealerOptions,
    state: AuditState,
    { heads, nowMs }: { readonly heads: readonly SealedHead[]; readonly nowMs: number },
  ): Promise<SealingRun> {
    const { tiles } = options;
    const trees = {
      postings: await GrowingTree.open(tiles, 'postings', state.postings),
      history: await GrowingTree.open(tiles, 'history', state.events),
    };
    const isMet = ({ head }: SealedHead) => toSize(head.historySize) <= state.events;
    const met = heads.filter(isMet).at(-1);
    if (met) await requireContained(tiles, met.head);
    const unmet = heads.filter((head) => !isMet(head));
    const run = new SealingRun(options, state, trees, { unmet, nowMs });
    run.#last = heads.at(-1)?.head;
    if (run.#last) run.#begin(dayAfter(run.#last.date));
    else if (state.events > 0) await run.#beginWithTheFirst();
    return run;
  }

  /** @param signal ends it early; the trees keep the events that it read */
  async toTheEnd(signal: AbortSignal | undefined): Promise<readonly DayHead[]> {
    const { log, store } = this.options;
    const head = await store.head(projectedPrefixes);
    const after = this.state.position;
    let readTo: Position = after;
    for await (const record of log.readStored(after === 0n ? 'start' : after, projectedPrefixes)) {
      if (record.position <= after) continue;
      if (!(await this.#sealBefore(record))) return this.#sealed;
      await this.#add(record);
      readTo = record.position;
      if (signal?.aborted) break;
    }
    await this.#flush();
    // A node that lags behind the leader ends early. The events that it lacks may belong to the day.
    if (readTo < head) return this.#sealed;
    const [unmet] = this.from.unmet;
    if (unmet) throw new HistoryChanged(`the log ends before all that ${unmet.head.date} sealed`);
    while (this.#day && this.#isOver(this.#day)) await this.#seal(this.#day.date);
    return this.#sealed;
  }

  /** Seals the days that ended before the event was recorded. @returns false if one of them may not be sealed yet */
  async #sealBefore(record: StoredRecord): Promise<boolean> {
    while (this.#day && record.recordedAt >= this.#day.end) {
      const [unmet] = this.from.unmet;
      if (unmet)
        throw new HistoryChanged(
          `an event of ${record.stream} was recorded after ${this.#day.date}, before all that ${unmet.head.date} sealed`,
        );
      if (!this.#isOver(this.#day)) {
        await this.#flush();
        return false;
      }
      await this.#seal(this.#day.date);
    }
    return true;
  }

  async #add(record: StoredRecord): Promise<void> {
    const { history, postings } = this.trees;
    if (!this.#day) this.#begin(dayAt(Date.parse(record.recordedAt), this.options.timezone));
    history.append(recordHash(sha256, record), record.position);
    const leaf = await leafOfStored(record, firstEventIn(this.options.store));
    if (leaf) postings.append(leaf.hash, record.position);
    this.#pending += 1;
    const { position, stream, revision, id } = record;
    this.#readTo = { position, last: { stream, revision, id } };
    this.#meetHead();
    if (this.#pending >= maxPending) await this.#flush();
  }

  #readTo: Pick<AuditState, 'position' | 'last'> | undefined;

  /** Checks that the rebuilt trees match each head that was sealed before. */
  #meetHead(): void {
    const { history, postings } = this.trees;
    const { unmet } = this.from;
    for (let [next] = unmet; next; [next] = unmet) {
      const { date, historySize, historyRoot, treeSize, root } = next.head;
      if (toSize(historySize) > history.size) return;
      const isSame =
        hex(history.root()) === historyRoot &&
        toSize(treeSize) === postings.size &&
        hex(postings.root()) === root;
      if (!isSame) throw new HistoryChanged(`history up to ${date} is not what was sealed then`);
      unmet.shift();
    }
  }

  async #flush(): Promise<void> {
    if (this.#pending === 0 || !this.#readTo) return;
    const { history, postings } = this.trees;
    const to = { ...this.#readTo, events: history.size, postings: postings.size };
    await this.options.tiles.write(this.state, to, [...history.take(), ...postings.take()]);
    this.state = to;
    this.#pending = 0;
  }

  /** If no head exists, the first day is that of the log's first event. */
  async #beginWithTheFirst(): Promise<void> {
    for await (const { recordedAt } of this.options.log.readStored('start', projectedPrefixes)) {
      this.#begin(dayAt(Date.parse(recordedAt), this.options.timezone));
      return;
    }
  }

  #begin(date: string): void {
    this.#day = { date, end: endOfDay(date, this.options.timezone) };
  }

  #isOver({ end }: { readonly end: Instant }): boolean {
    return this.from.nowMs >= Date.parse(end) + this.options.marginMs;
  }

  async #seal(date: string): Promise<void> {
    await this.#flush();
    const { ids, execute } = this.options;
    const metadata = {
      correlationId: ids.next(),
      actor: { kind: 'system', id: 'audit' },
    } as const;
    const sealed = await execute(new SealDay(await this.#dayToSeal(date), metadata));
    if (!sealed.ok && sealed.refusal === 'already_sealed')
      throw new TreesMoved('another process seals');
    if (!sealed.ok && sealed.refusal === 'key_replaced') throw new SealKeyReplaced();
    if (!sealed.ok)
      throw new HistoryChanged(`the trees do not go on from the head of ${this.#last?.date ?? ''}`);
    if (sealed.value) {
      this.#last = sealed.value;
      this.#sealed.push(sealed.value);
    }
    this.#begin(dayAfter(date));
  }

  async #dayToSeal(date: string): Promise<DayToSeal> {
    const { tiles, timezone } = this.options;
    const { history, postings } = this.trees;
    const from = this.#last;
    const proof = async (tree: TreeName, before: string, size: number) =>
      (await proverOf(tiles, tree).consistency(toSize(before), size)).map(hex);
    return {
      date,
      timezone,
      treeSize: String(postings.size),
      root: hex(postings.root()),
      historySize: String(history.size),
      historyRoot: hex(history.root()),
      consistency: await proof('postings', from?.treeSize ?? '0', postings.size),
      historyConsistency: await proof('history', from?.historySize ?? '0', history.size),
    };
  }
}

/** @throws HistoryChanged if the trees do not begin with those of the head */
async function requireContained(tiles: TileStore, head: DayHead): Promise<void> {
  const { date, treeSize, root, historySize, historyRoot } = head;
  const roots = [
    [await proverOf(tiles, 'postings').root(toSize(treeSize)), root],
    [await proverOf(tiles, 'history').root(toSize(historySize)), historyRoot],
  ] as const;
  if (roots.some(([found, sealed]) => hex(found) !== sealed))
    throw new HistoryChanged(`the trees are not those that were sealed on ${date}`);
}
