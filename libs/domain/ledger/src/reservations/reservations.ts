import { type Ids, type Minor, ok, type Result } from '#domain/kernel';
import {
  type FundsReserved,
  type ReservationEvent,
  reservationEventTypes,
  reservationsStream,
  type Wallet,
} from './reservation.events.js';
import {
  type CommandMetadata,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import {
  decideRelease,
  decideReserve,
  decideReserveAll,
  type Demand,
  standingReservation,
} from './reservations.decide.js';

/** Answers what was ever credited to a wallet; served from a view, which may lag: the sum only grows. */
export abstract class PostedCredits {
  /** @throws DependencyUnavailable */
  abstract creditsOf(wallet: Wallet): Promise<Minor>;
}

/** Whose reservation in a wallet is meant, and where to look for it. */
export interface ReservationSource {
  readonly wallet: Wallet;
  /** The stream of what takes the money. */
  readonly source: string;
  /**
   * The revision of the wallet's reservations that was noted before the source's own first event, undefined where
   * there were none: what stands for the source stands after it.
   */
  readonly since: bigint | undefined;
}

/** A demand on a wallet. */
export interface ReservationRequest extends Demand, ReservationSource {
  readonly metadata: CommandMetadata;
}

/** Several demands on one wallet, which are served together or not at all. */
export interface ReservationsRequest {
  readonly wallet: Wallet;
  /** At most 1,000, each of a source of its own: they are one append, and an append is at most 1 MiB. */
  readonly demands: readonly Demand[];
  /** As of a single source: noted before the first event of the first of them. */
  readonly since: bigint | undefined;
  /** Its evidence stands at the first event alone. */
  readonly metadata: CommandMetadata;
}

/** What stands in the log for a source. */
export type StandingReservation = Pick<
  RecordedEvent<FundsReserved>,
  'id' | 'data' | 'metadata' | 'revision'
>;

/** The most demands of one request; with their metadata they stay below what one append may be. */
const maxDemands = 1000;

/** Each lost race is another demand that was served; so many in a row are not bad luck. */
const maxAttempts = 32;

/**
 * The one way into a wallet's reservations. The stream is as long as the wallet's history of payments out, so it is
 * never read whole: its last event carries the total, and what is asked of a source is read forwards from the
 * revision that the source noted.
 */
export class Reservations {
  constructor(
    private readonly store: EventStore,
    private readonly credits: PostedCredits,
    private readonly ids: Ids,
  ) {}

  /** The revision to be noted before a source's first event. @throws EventStoreUnavailable */
  async revisionOf(wallet: Wallet): Promise<bigint | undefined> {
    return (await this.store.readLast<ReservationEvent>(reservationsStream(wallet)))?.revision;
  }

  /** What stands for the source. @throws EventStoreUnavailable */
  async find(
    wallet: Wallet,
    source: string,
    since: bigint | undefined,
  ): Promise<StandingReservation | undefined> {
    const stream = reservationsStream(wallet);
    return standingReservation(
      await this.store.readStream<ReservationEvent>(stream, since),
      source,
    );
  }

  /**
   * Whether the demand could be reserved now, or is already; reserves nothing. For whoever does something first that
   * would be in vain without the funds.
   * @throws EventStoreUnavailable, DependencyUnavailable
   */
  async mayReserve(request: Omit<ReservationRequest, 'metadata'>): Promise<boolean> {
    const { wallet, source, since } = request;
    const creditsMinor = await this.credits.creditsOf(wallet);
    const stream = reservationsStream(wallet);
    const events = await this.store.readStream<ReservationEvent>(stream, since);
    const reservedMinor = events.at(-1)?.data.totalMinor ?? 0n;
    return (
      standingReservation(events, source) !== undefined ||
      decideReserve(request, { creditsMinor, reservedMinor }).ok
    );
  }

  /**
   * Reserves once: where something stands for the source already, by a repeat or before a crash, that is the answer.
   * The total is asserted by the append's expected revision, so no two demands are served with the same money.
   * @throws EventStoreUnavailable, DependencyUnavailable; WrongExpectedRevision after 32 lost races
   */
  async reserve(
    request: ReservationRequest,
  ): Promise<Result<StandingReservation, 'insufficient_funds'>> {
    const { wallet, source, metadata } = request;
    const stream = reservationsStream(wallet);
    const creditsMinor = await this.credits.creditsOf(wallet);
    let from = request.since;
    for (let attempt = 1; ; attempt += 1) {
      const events = await this.store.readStream<ReservationEvent>(stream, from);
      const standing = standingReservation(events, source);
      if (standing) return ok(standing);
      const last = events.at(-1);
      const decision = decideReserve(request, {
        creditsMinor,
        reservedMinor: last?.data.totalMinor ?? 0n,
      });
      if (!decision.ok) return decision;
      const id = this.ids.next();
      const noted = { ...metadata, v: reservationEventTypes.FundsReserved.version };
      try {
        const { revision } = await this.store.append(stream, last?.revision ?? 'no_stream', [
          { id, event: decision.value, metadata: noted },
        ]);
        return ok({ id, data: decision.value.data, metadata: noted, revision });
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || attempt === maxAttempts) throw error;
        // The event at which the next look begins holds the total that this one stood on, and may be the source's.
        from = last?.revision;
      }
    }
  }

  /**
   * Reserves several demands of one wallet in one append, so that a crash leaves all of them or none. A source of which
   * anything stands in the log already is not reserved again: what stands for it is its answer, and a source that was
   * given back meanwhile has none. Demands are funds-checked together, in their order.
   * @returns what stands, by source; `insufficient_funds`: nothing was appended
   * @throws EventStoreUnavailable, DependencyUnavailable; WrongExpectedRevision after 32 lost races
   */
  async reserveAll(
    request: ReservationsRequest,
  ): Promise<Result<ReadonlyMap<string, StandingReservation>, 'insufficient_funds'>> {
    const { wallet, demands } = request;
    if (demands.length > maxDemands)
      throw new RangeError(`at most ${maxDemands} demands are reserved together`);
    if (new Set(demands.map(({ source }) => source)).size !== demands.length)
      throw new RangeError('each demand has a source of its own');
    const stream = reservationsStream(wallet);
    const creditsMinor = await this.credits.creditsOf(wallet);
    for (let attempt = 1; ; attempt += 1) {
      const events = await this.store.readStream<ReservationEvent>(stream, request.since);
      const last = events.at(-1);
      const latest = latestBySource(events);
      const missing = demands.filter(({ source }) => !latest.has(source));
      const funds = { creditsMinor, reservedMinor: last?.data.totalMinor ?? 0n };
      const decision = decideReserveAll(missing, funds);
      if (!decision.ok) return decision;
      const standing = standingAmong(demands, latest);
      if (decision.value.length === 0) return ok(standing);
      const reserved = this.newReservations(decision.value, request.metadata);
      try {
        const { revision } = await this.store.append(
          stream,
          last?.revision ?? 'no_stream',
          reserved,
        );
        const first = revision - BigInt(reserved.length - 1);
        for (const [index, { id, event, metadata }] of reserved.entries())
          standing.set(event.data.source, {
            id,
            data: event.data,
            metadata,
            revision: first + BigInt(index),
          });
        return ok(standing);
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || attempt === maxAttempts) throw error;
      }
    }
  }

  private newReservations(
    events: readonly FundsReserved[],
    metadata: CommandMetadata,
  ): NewEvent<FundsReserved>[] {
    const { version: v } = reservationEventTypes.FundsReserved;
    const { evidence: _atTheFirst, ...rest } = metadata;
    return events.map((event, index) => ({
      id: this.ids.next(),
      event,
      metadata: { ...(index === 0 ? metadata : rest), v },
    }));
  }

  /**
   * What may be taken out of the wallet now, and the revision to be noted before a source's first event: two reads, at
   * any history.
   * @throws EventStoreUnavailable, DependencyUnavailable
   */
  async availableIn(
    wallet: Wallet,
  ): Promise<{ readonly availableMinor: Minor; readonly revision: bigint | undefined }> {
    const [creditsMinor, last] = await Promise.all([
      this.credits.creditsOf(wallet),
      this.store.readLast<ReservationEvent>(reservationsStream(wallet)),
    ]);
    const availableMinor = creditsMinor - (last?.data.totalMinor ?? 0n);
    return { availableMinor, revision: last?.revision };
  }

  /**
   * Gives back what stands for the source, once. Only for a source that can never need it again.
   * @returns whether anything was given back now
   * @throws EventStoreUnavailable; WrongExpectedRevision after 32 lost races
   */
  async release(of: ReservationSource & { readonly metadata: CommandMetadata }): Promise<boolean> {
    const stream = reservationsStream(of.wallet);
    for (let attempt = 1; ; attempt += 1) {
      const events = await this.store.readStream<ReservationEvent>(stream, of.since);
      const standing = standingReservation(events, of.source);
      const last = events.at(-1);
      if (!standing || !last) return false;
      const event = decideRelease(standing, last.data.totalMinor);
      const metadata = { ...of.metadata, v: reservationEventTypes.ReservationReleased.version };
      try {
        await this.store.append(stream, last.revision, [{ id: this.ids.next(), event, metadata }]);
        return true;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || attempt === maxAttempts) throw error;
      }
    }
  }
}

/** The newest event of each source. */
function latestBySource(
  events: readonly RecordedEvent<ReservationEvent>[],
): ReadonlyMap<string, RecordedEvent<ReservationEvent>> {
  return new Map(events.map((event) => [event.data.source, event]));
}

function standingAmong(
  demands: readonly Demand[],
  latest: ReadonlyMap<string, RecordedEvent<ReservationEvent>>,
): Map<string, StandingReservation> {
  const standing = new Map<string, StandingReservation>();
  for (const { source } of demands) {
    const event = latest.get(source);
    if (event?.type === 'FundsReserved') standing.set(source, event);
  }
  return standing;
}
