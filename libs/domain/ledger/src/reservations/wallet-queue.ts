import { DependencyUnavailable, type Ids, type Minor } from '#domain/kernel';
import {
  type CommandMetadata,
  type EventStore,
  EventStoreUnavailable,
  type NewEvent,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { type Found, LookBack } from './look-back.js';
import { type Funds } from './reservations.decide.js';
import { type ReservationEvent, reservationEventTypes } from './reservation.events.js';
import { entryOf, type NewestOf, type ReservationEntry, WalletTail } from './wallet-tail.js';

/** Too many callers use the same wallet at once. Nothing was appended for this caller, who may retry. */
export class ReservationsContested extends DependencyUnavailable {
  override readonly name = 'ReservationsContested';
  override readonly code = 'reservations_contested';
  constructor(why: string) {
    super('event store', why);
  }
}

/** The events that a demand or a release adds to the wallet's reservations, and the caller's answer after that. */
export interface Decided<Answer> {
  readonly events: readonly ReservationEvent[];
  /** @param entries the events as the log has them */
  answer(entries: readonly ReservationEntry[]): Answer;
}

/** One caller's demand or release. */
export interface Claim<Answer> {
  /** The reservations of its sources come after this revision. */
  readonly since: bigint | undefined;
  readonly sources: readonly string[];
  readonly metadata: CommandMetadata;
  /** The most that it adds to the wallet's total. */
  readonly takesMinor: Minor;
  /** True if part of it needs enough credits in the wallet. */
  readonly needsCredits: boolean;
  /** Pure; called again after a lost race. */
  decide(newestOf: NewestOf, funds: Funds): Decided<Answer>;
}

/** The amount available in a wallet, and its newest revision; undefined if it has no reservations. */
export interface Available {
  readonly availableMinor: Minor;
  readonly revision: bigint | undefined;
}

/** A claim's knowledge of its sources. */
interface Looked {
  /** The revision up to which the log was searched. */
  readonly until: bigint;
  readonly found: Found;
}

/** `look again`: the tail does not reach back to the end of the search. */
type Served = { readonly answer: unknown } | 'look again';

interface Waiting extends Looked {
  readonly claim: Claim<unknown>;
  readonly resolve: (told: Served) => void;
  readonly reject: (error: unknown) => void;
}

/** The decisions on a group's claims, given a tail. */
interface GroupDecision {
  readonly events: readonly NewEvent<ReservationEvent>[];
  readonly entries: readonly ReservationEntry[];
  readonly answers: readonly (() => void)[];
}

/** Each lost race means that another process's group succeeded. So many in a row are not bad luck. */
const maxAttempts = 32;
/**
 * With their evidence, this many events stay well below the limit of an append. A batch may have more, since it has one
 * evidence.
 */
const maxGroupEvents = 256;
/** About the number that two deadlines of the store leave behind at the highest rate. */
const maxWaitingSources = 8192;
/** Two sends are enough, because the store retries within its own deadline. */
const maxSends = 2;
/** A tail that is further behind is dropped, and the claims that need the missed events search back for them. */
const maxMissed = 2_000;

/**
 * The claims on one wallet in this process. Claims that arrive during an append are decided together, in order of
 * arrival, on one running total, and are one append. A claim that is refused or fails changes nothing for the other
 * claims.
 *
 * An answer without an append, such as a refusal or an existing reservation, needs a tail that is known to be the
 * log's. Either the group's append asserts the head, or a read does. The caller gets the answer only after that.
 */
export class WalletQueue {
  readonly #waiting: Waiting[] = [];
  #waitingSources = 0;
  #isServing = false;
  #tail: WalletTail | undefined;
  /** True if the tail was the log's at some moment since claims began to follow each other. */
  #isCurrent = false;
  /** The highest sum of the wallet's credits read so far. Credits only grow, so it is never too high. */
  #seenCredits: Minor = 0n;
  #seeding: Promise<WalletTail> | undefined;
  readonly #lookBack: LookBack;

  constructor(
    private readonly stream: string,
    private readonly store: EventStore,
    private readonly creditsOf: () => Promise<Minor>,
    private readonly ids: Ids,
  ) {
    this.#lookBack = new LookBack(store, stream);
  }

  get isIdle(): boolean {
    return !this.#isServing && this.#waitingSources === 0;
  }

  /** The number of remembered sources. */
  get size(): number {
    return this.#tail?.size ?? 0;
  }

  /**
   * This process's knowledge of the wallet without a read, while claims follow each other: the state before the append
   * in progress. Another process may have taken some since; the next append detects that.
   */
  get outlook(): Available | undefined {
    const tail = this.#tail;
    if (!tail || !this.#isServing || !this.#isCurrent) return undefined;
    return { availableMinor: this.#seenCredits - tail.totalMinor, revision: tail.head };
  }

  /**
   * @throws ReservationsContested: too many wait, or 32 races were lost; EventStoreUnavailable: it is not known whether
   * anything was appended; DependencyUnavailable
   */
  async submit<Answer>(claim: Claim<Answer>): Promise<Answer> {
    const weight = claim.sources.length;
    if (this.#waitingSources + weight > maxWaitingSources)
      throw new ReservationsContested('too many demands on one wallet wait');
    this.#waitingSources += weight;
    try {
      let looked: Looked = { until: claim.since ?? 0n, found: new Map() };
      for (;;) {
        looked = await this.#look(claim.sources, looked);
        const told = await this.#served(claim, looked);
        if (told !== 'look again') return told.answer as Answer;
      }
    } finally {
      this.#waitingSources -= weight;
    }
  }

  #served(claim: Claim<unknown>, looked: Looked): Promise<Served> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ claim, ...looked, resolve, reject });
      if (!this.#isServing) void this.#serveAll();
    });
  }

  /**
   * Searches for an old source before its claim joins the queue, so that only its own caller waits for a long read. The
   * search ends where the tail began, and the tail's own entries at that moment are added. So everything up to the
   * tail's head of that moment is known, however much the tail forgets during the search.
   */
  async #look(sources: readonly string[], looked: Looked): Promise<Looked> {
    const found = new Map(looked.found);
    for (let { until } = looked; ;) {
      const tail = this.#tail ?? (await this.#seeded());
      if (tail.head === undefined || tail.covers(until)) return { until, found };
      const { first, head } = tail;
      const newer = sources.map(tail.newestOf).filter((entry) => entry !== undefined);
      const older = sources.filter((source) => !tail.newestOf(source));
      for (const [source, entry] of await this.#lookBack.find(older, until, first))
        found.set(source, entry);
      for (const entry of newer) found.set(entry.data.source, entry);
      until = head;
    }
  }

  /** A process that knows nothing of the wallet starts with its newest event, which has the total. */
  #seeded(): Promise<WalletTail> {
    this.#seeding ??= this.store
      .readLast<ReservationEvent>(this.stream)
      .then((last) => (this.#tail ??= new WalletTail(last?.revision, last ? [last] : [])))
      .finally(() => {
        this.#seeding = undefined;
      });
    return this.#seeding;
  }

  async #serveAll(): Promise<void> {
    this.#isServing = true;
    this.#isCurrent = false;
    for (let group = this.#nextGroup(); group.length > 0; group = this.#nextGroup()) {
      try {
        await this.#serve(group);
      } catch (error) {
        this.#tail = undefined;
        for (const { reject } of group) reject(error);
        // Claims behind a store that does not answer would only wait for its deadlines.
        if (error instanceof EventStoreUnavailable)
          for (const { reject } of this.#waiting.splice(0)) reject(error);
      }
    }
    this.#isServing = false;
  }

  #nextGroup(): readonly Waiting[] {
    let events = 0;
    let end = 0;
    for (const { claim } of this.#waiting) {
      events += claim.sources.length;
      if (end > 0 && events > maxGroupEvents) break;
      end += 1;
    }
    return this.#waiting.splice(0, end);
  }

  async #serve(arrived: readonly Waiting[]): Promise<void> {
    const tail = this.#tail;
    const covered = arrived.filter(({ until }) => tail?.covers(until));
    lookAgain(arrived.filter((each) => !covered.includes(each)));
    if (!tail || covered.length === 0) return;
    let group: readonly Waiting[] = covered;
    let isRead = false;
    for (let attempt = 1; ;) {
      group = await this.#withCredits(group, tail);
      const decision = this.#decide(group, tail);
      const isAppended = decision.events.length > 0 && (await this.#append(tail, decision));
      if (isAppended || (isRead && decision.events.length === 0)) {
        if (isAppended) tail.extend(decision.entries);
        this.#isCurrent = true;
        tail.trim();
        for (const answer of decision.answers) answer();
        return;
      }
      if (decision.events.length > 0 && (attempt += 1) > maxAttempts)
        throw new ReservationsContested('32 races for one wallet were lost in a row');
      isRead = await this.#refresh(tail);
      if (isRead) continue;
      this.#tail = undefined;
      lookAgain(group);
      return;
    }
  }

  /**
   * Reads the credits again if the known ones do not cover the whole group, so that no demand is refused on old ones.
   * @returns the claims that go on; if Postgres is unavailable, the demands that would need it fail
   */
  async #withCredits(group: readonly Waiting[], tail: WalletTail): Promise<readonly Waiting[]> {
    const needsThem = ({ claim }: Waiting): boolean => claim.needsCredits;
    const totalMinor = group.reduce((sum, { claim }) => sum + claim.takesMinor, tail.totalMinor);
    if (totalMinor <= this.#seenCredits || !group.some(needsThem)) return group;
    try {
      const minor = await this.creditsOf();
      if (minor > this.#seenCredits) this.#seenCredits = minor;
      return group;
    } catch (error) {
      for (const { reject } of group.filter(needsThem)) reject(error);
      return group.filter((each) => !needsThem(each));
    }
  }

  /**
   * Brings the tail up to the log's head.
   * @returns false if it is too far behind
   */
  async #refresh(tail: WalletTail): Promise<boolean> {
    const events = await this.store.readStream<ReservationEvent>(this.stream, tail.head, maxMissed);
    tail.extend(events.map(entryOf));
    return events.length < maxMissed;
  }

  #decide(group: readonly Waiting[], tail: WalletTail): GroupDecision {
    const creditsMinor = this.#seenCredits;
    const events: NewEvent<ReservationEvent>[] = [];
    const entries: ReservationEntry[] = [];
    const answers: (() => void)[] = [];
    const written = new Map<string, ReservationEntry>();
    const next = tail.head === undefined ? 0n : tail.head + 1n;
    for (const { claim, found, resolve, reject } of group) {
      const newestOf: NewestOf = (source) =>
        written.get(source) ?? tail.newestOf(source) ?? found.get(source);
      const reservedMinor = entries.at(-1)?.data.totalMinor ?? tail.totalMinor;
      try {
        const decided = claim.decide(newestOf, { creditsMinor, reservedMinor });
        const added = this.#newEvents(decided.events, claim.metadata);
        const own = added.map(({ id, event }, index) => ({
          ...event,
          id,
          revision: next + BigInt(entries.length + index),
        }));
        events.push(...added);
        entries.push(...own);
        for (const entry of own) written.set(entry.data.source, entry);
        answers.push(() => {
          resolve({ answer: decided.answer(own) });
        });
      } catch (error) {
        // A defect of this claim only.
        answers.push(() => {
          reject(error);
        });
      }
    }
    return { events, entries, answers };
  }

  /**
   * Only a claim's first event gets the evidence: an append of 1,000 demands would be too large with evidence in each.
   */
  #newEvents(
    events: readonly ReservationEvent[],
    metadata: CommandMetadata,
  ): readonly NewEvent<ReservationEvent>[] {
    const { evidence: _atTheFirst, ...rest } = metadata;
    return events.map((event, index) => ({
      id: this.ids.next(),
      event,
      metadata: {
        ...(index === 0 ? metadata : rest),
        v: reservationEventTypes[event.type].version,
      },
    }));
  }

  /**
   * Repeats an append of unknown outcome unchanged. If the head moved after that, the first append may have moved it.
   * @returns false: another event came first, and nothing was written
   */
  async #append(tail: WalletTail, { events }: GroupDecision): Promise<boolean> {
    for (let sends = 1; ; sends += 1) {
      try {
        await this.store.append(this.stream, tail.head ?? 'no_stream', events);
        return true;
      } catch (error) {
        if (error instanceof WrongExpectedRevision)
          return sends > 1 && (await this.#holds(tail.head, events));
        if (!(error instanceof EventStoreUnavailable) || sends === maxSends) throw error;
      }
    }
  }

  async #holds(after: bigint | undefined, events: GroupDecision['events']): Promise<boolean> {
    const next = after === undefined ? 0n : after + 1n;
    const [event] = await this.store.readStream<ReservationEvent>(this.stream, next, 1);
    return event?.id === events[0]?.id;
  }
}

function lookAgain(group: readonly Waiting[]): void {
  for (const { resolve } of group) resolve('look again');
}
