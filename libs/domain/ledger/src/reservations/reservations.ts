import { type Ids, type Minor, ok, refuse, type Result } from '#domain/kernel';
import {
  type FundsReserved,
  type ReservationEvent,
  type ReservationReleased,
  reservationsStream,
  type Wallet,
} from './reservation.events.js';
import { type CommandMetadata, type EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { pageEvents } from './look-back.js';
import {
  decideRelease,
  decideReserve,
  decideReserveAll,
  type Demand,
  standingReservation,
} from './reservations.decide.js';
import { SharedRead } from './shared-read.js';
import { type Available, type Claim, type Decided, WalletQueue } from './wallet-queue.js';
import { type ReservationEntry } from './wallet-tail.js';

/** The sum of all credits of a wallet, from a view that may lag. The sum only grows, so it is never too high. */
export abstract class PostedCredits {
  /** @throws DependencyUnavailable */
  abstract creditsOf(wallet: Wallet): Promise<Minor>;
}

/** The source of a reservation in a wallet, and the revision to search from. */
export interface ReservationSource {
  readonly wallet: Wallet;
  /** The stream of the payout, correction or late success that takes the money. */
  readonly source: string;
  /**
   * The revision of the wallet's reservations before the source's first event; undefined if there were none. The
   * source's reservations come after it.
   */
  readonly since: bigint | undefined;
}

/** A demand on a wallet. */
export interface ReservationRequest extends Demand, ReservationSource {
  readonly metadata: CommandMetadata;
}

/** Several demands on one wallet, reserved together or not at all. */
export interface ReservationsRequest {
  readonly wallet: Wallet;
  /** At most 1,000, each of a different source: they are one append, and an append is at most 1 MiB. */
  readonly demands: readonly Demand[];
  /** As for a single source: the revision before the first event of the first source. */
  readonly since: bigint | undefined;
  /** Only the first event gets the evidence. */
  readonly metadata: CommandMetadata;
}

/** A source's active reservation in the log. */
export type StandingReservation = Pick<RecordedEvent<FundsReserved>, 'id' | 'data' | 'revision'>;

/** With their metadata, this many demands stay below the size limit of an append. */
const maxDemands = 1000;

/** The limit for all wallets together; about 40 MB. */
const maxRemembered = 100_000;
/** If a wallet's queue was dropped, its next claim costs one read. */
const maxQueues = 256;

/**
 * The only way to change a wallet's reservations. The stream grows with the wallet's payouts, so it is never read
 * whole. Its last event has the total, and the search for a source's reservation goes page by page, back to the
 * revision that the source recorded.
 */
export class Reservations {
  /** The queues of recently used wallets, the latest last. */
  private readonly queues = new Map<string, WalletQueue>();
  private readonly looks = new SharedRead<Available>();

  constructor(
    private readonly store: EventStore,
    private readonly credits: PostedCredits,
    private readonly ids: Ids,
  ) {}

  /**
   * Returns the revision to record before a source's first event.
   * @throws EventStoreUnavailable
   */
  async revisionOf(wallet: Wallet): Promise<bigint | undefined> {
    return (await this.store.readLast<ReservationEvent>(reservationsStream(wallet)))?.revision;
  }

  /**
   * Returns the source's reservation.
   * @throws EventStoreUnavailable
   */
  async find(
    wallet: Wallet,
    source: string,
    since: bigint | undefined,
  ): Promise<RecordedEvent<FundsReserved> | undefined> {
    return (await this.read(wallet, source, since)).standing;
  }

  /**
   * True if the demand could be reserved now, or is reserved already. Reserves nothing. For a step that precedes the
   * reservation and would be useless without the funds.
   * @throws EventStoreUnavailable, DependencyUnavailable
   */
  async mayReserve(request: Omit<ReservationRequest, 'metadata'>): Promise<boolean> {
    const { wallet, source, since } = request;
    const creditsMinor = await this.credits.creditsOf(wallet);
    const { standing, reservedMinor } = await this.read(wallet, source, since);
    return standing !== undefined || decideReserve(request, { creditsMinor, reservedMinor }).ok;
  }

  /**
   * Reserves once: if the source has a reservation, from a repeat or from before a crash, that is the answer. A late
   * process does not reserve a released source again. The append's expected revision asserts the total, so no two
   * demands get the same money.
   * @throws DependencyUnavailable; EventStoreUnavailable: it may have been reserved; ReservationsContested: it was not
   */
  reserve(request: ReservationRequest): Promise<Result<StandingReservation, 'insufficient_funds'>> {
    const { since, metadata, source } = request;
    return this.submit(request.wallet, {
      since,
      metadata,
      sources: [source],
      ...takenBy([request]),
      decide: (newestOf, funds): Decided<Result<StandingReservation, 'insufficient_funds'>> => {
        const newest = newestOf(source);
        if (newest?.type === 'FundsReserved') return { events: [], answer: () => ok(newest) };
        if (newest) return { events: [], answer: () => refuse('insufficient_funds') };
        const decision = decideReserve(request, funds);
        if (!decision.ok) return { events: [], answer: () => decision };
        return { events: [decision.value], answer: ([entry]) => ok(reservedOf(entry)) };
      },
    });
  }

  /**
   * Reserves several demands of one wallet in one append, so that a crash leaves all of them or none. A source with an
   * entry in the log is not reserved again: its active reservation is its answer, and a released source has no answer.
   * @returns the active reservations, by source; `insufficient_funds`: nothing was appended
   * @throws as `reserve`
   */
  async reserveAll({
    wallet,
    demands,
    since,
    metadata,
  }: ReservationsRequest): Promise<
    Result<ReadonlyMap<string, StandingReservation>, 'insufficient_funds'>
  > {
    const sources = demands.map(({ source }) => source);
    if (sources.length > maxDemands)
      throw new RangeError(`at most ${maxDemands} demands are reserved together`);
    if (new Set(sources).size !== sources.length)
      throw new RangeError('each demand has a source of its own');
    const decide = decideAll(demands);
    return this.submit(wallet, { since, sources, metadata, ...takenBy(demands), decide });
  }

  /**
   * Returns the amount available in the wallet now, and the revision to record before a source's first event. It takes
   * two reads, whatever the length of history, and calls at the same time share them.
   * @param enoughMinor if this process is reserving in the wallet and knows that this much is available, nothing is
   * read
   * @throws EventStoreUnavailable, DependencyUnavailable
   */
  async availableIn(wallet: Wallet, enoughMinor?: Minor): Promise<Available> {
    const stream = reservationsStream(wallet);
    const outlook = this.queues.get(stream)?.outlook;
    if (outlook && enoughMinor !== undefined && outlook.availableMinor >= enoughMinor)
      return outlook;
    return this.looks.ask(stream, async () => {
      const [creditsMinor, last] = await Promise.all([
        this.credits.creditsOf(wallet),
        this.store.readLast<ReservationEvent>(stream),
      ]);
      const availableMinor = creditsMinor - (last?.data.totalMinor ?? 0n);
      return { availableMinor, revision: last?.revision };
    });
  }

  /**
   * Releases the source's reservation, once. Only for a source that can never need it again.
   * @returns true if anything was released now
   * @throws EventStoreUnavailable: it may have been released; ReservationsContested: it was not
   */
  release(of: ReservationSource & { readonly metadata: CommandMetadata }): Promise<boolean> {
    const { since, metadata, source } = of;
    return this.submit(of.wallet, {
      since,
      metadata,
      sources: [source],
      ...takenBy([]),
      decide: (newestOf, { reservedMinor }) => {
        const newest = newestOf(source);
        if (newest?.type !== 'FundsReserved') return { events: [], answer: () => false };
        return { events: [decideRelease(newest, reservedMinor)], answer: () => true };
      },
    });
  }

  /**
   * Releases the sources' reservations in one append, each once. Only for sources that can never need it again.
   * @returns the number of reservations released now
   * @throws as `release`
   */
  releaseAll(of: {
    readonly wallet: Wallet;
    /** At most 1,000: they are one append. */
    readonly sources: readonly string[];
    readonly since: bigint | undefined;
    readonly metadata: CommandMetadata;
  }): Promise<number> {
    const { since, metadata, sources } = of;
    if (sources.length > maxDemands)
      throw new RangeError(`at most ${maxDemands} reservations are released together`);
    return this.submit(of.wallet, {
      since,
      metadata,
      sources,
      ...takenBy([]),
      decide: (newestOf, { reservedMinor }) => {
        const events: ReservationReleased[] = [];
        let total = reservedMinor;
        for (const source of sources) {
          const newest = newestOf(source);
          if (newest?.type !== 'FundsReserved') continue;
          const event = decideRelease(newest, total);
          total = event.data.totalMinor;
          events.push(event);
        }
        return { events, answer: () => events.length };
      },
    });
  }

  /** Reads page by page and keeps only the source's newest event and the total. */
  private async read(wallet: Wallet, source: string, since: bigint | undefined) {
    let newest: RecordedEvent<ReservationEvent> | undefined;
    let reservedMinor = 0n;
    for (let from = since ?? 0n; ; from += BigInt(pageEvents)) {
      const page = await this.store.readStream<ReservationEvent>(
        reservationsStream(wallet),
        from,
        pageEvents,
      );
      newest = page.findLast(({ data }) => data.source === source) ?? newest;
      reservedMinor = page.at(-1)?.data.totalMinor ?? reservedMinor;
      if (page.length < pageEvents)
        return { standing: standingReservation(newest ? [newest] : [], source), reservedMinor };
    }
  }

  private async submit<Answer>(wallet: Wallet, claim: Claim<Answer>): Promise<Answer> {
    const stream = reservationsStream(wallet);
    const queue =
      this.queues.get(stream) ??
      new WalletQueue(stream, this.store, () => this.credits.creditsOf(wallet), this.ids);
    this.queues.delete(stream);
    this.queues.set(stream, queue);
    try {
      return await queue.submit(claim);
    } finally {
      this.forgetIdle();
    }
  }

  /** Drops idle queues. A busy queue stays: two for one wallet would race each other. */
  private forgetIdle(): void {
    let remembered = 0;
    for (const { size } of this.queues.values()) remembered += size;
    for (const [stream, queue] of this.queues) {
      if (remembered <= maxRemembered && this.queues.size <= maxQueues) return;
      if (!queue.isIdle) continue;
      this.queues.delete(stream);
      remembered -= queue.size;
    }
  }
}

function takenBy(demands: readonly Demand[]): Pick<Claim<never>, 'takesMinor' | 'needsCredits'> {
  return {
    takesMinor: demands.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
    needsCredits: demands.some(({ mayOverdraw }) => !mayOverdraw),
  };
}

function decideAll(
  demands: readonly Demand[],
): Claim<Result<ReadonlyMap<string, StandingReservation>, 'insufficient_funds'>>['decide'] {
  return (newestOf, funds) => {
    const standing = new Map<string, StandingReservation>();
    for (const { source } of demands) {
      const newest = newestOf(source);
      if (newest?.type === 'FundsReserved') standing.set(source, newest);
    }
    const decision = decideReserveAll(
      demands.filter(({ source }) => newestOf(source) === undefined),
      funds,
    );
    if (!decision.ok) return { events: [], answer: () => decision };
    const answer = (entries: readonly ReservationEntry[]) => {
      for (const entry of entries) standing.set(entry.data.source, reservedOf(entry));
      return ok(standing);
    };
    return { events: decision.value, answer };
  };
}

function reservedOf(entry: ReservationEntry | undefined): StandingReservation {
  if (entry?.type !== 'FundsReserved')
    throw new TypeError('a reservation appends FundsReserved only');
  return entry;
}
