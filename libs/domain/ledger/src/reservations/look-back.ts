import { type EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { type ReservationEvent } from './reservation.events.js';
import { entryOf, type ReservationEntry } from './wallet-tail.js';

/** With evidence about 1 MB, the most of the log that a pass holds at a time. */
export const pageEvents = 500;
/** A search within a wallet's busy minute, which takes about a second. */
const nearEvents = 10_000n;

/** The newest entry of each source that was found. */
export type Found = ReadonlyMap<string, ReservationEntry>;

interface Search {
  readonly sources: readonly string[];
  /** The first relevant revision. */
  readonly from: bigint;
  /** The search starts before this revision. */
  readonly before: bigint;
  readonly found: Map<string, ReservationEntry>;
  readonly resolve: (found: Found) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Searches the older part of a wallet's reservations for sources. It reads page by page from the newest to the oldest,
 * so the first event that it meets is a source's newest. A call during a pass shares the next pass, so two pages are
 * held for any number of calls. Near searches have their own passes, so that they never wait for one through a long
 * history.
 */
export class LookBack {
  readonly #near: Passes;
  readonly #far: Passes;

  constructor(store: EventStore, stream: string) {
    this.#near = new Passes(store, stream);
    this.#far = new Passes(store, stream);
  }

  /**
   * @returns the newest entry of each source from the first revision up to but without the second; later entries may be
   * included
   * @throws EventStoreUnavailable
   */
  async find(sources: readonly string[], from: bigint, before: bigint): Promise<Found> {
    if (sources.length === 0) return new Map();
    const passes = before - from > nearEvents ? this.#far : this.#near;
    return passes.find(sources, from, before);
  }
}

class Passes {
  #waiting: Search[] = [];
  #isReading = false;

  constructor(
    private readonly store: EventStore,
    private readonly stream: string,
  ) {}

  find(sources: readonly string[], from: bigint, before: bigint): Promise<Found> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sources, from, before, found: new Map(), resolve, reject });
      if (!this.#isReading) void this.#readAll();
    });
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    // Calls in the same turn share the first pass.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const searches = this.#waiting.splice(0);
      try {
        await this.#pass(searches);
      } catch (error) {
        for (const { reject } of searches) reject(error);
      }
    }
    this.#isReading = false;
  }

  async #pass(searches: readonly Search[]): Promise<void> {
    const bySource = new Map<string, Search[]>();
    for (const search of searches)
      for (const source of search.sources) {
        const same = bySource.get(source);
        if (same) same.push(search);
        else bySource.set(source, [search]);
      }
    let end = searches.reduce((most, { before }) => (before > most ? before : most), 0n);
    for (let open = searches; ;) {
      open = open.filter((search) => {
        const isOpen = search.from < end && search.found.size < search.sources.length;
        if (!isOpen) search.resolve(search.found);
        return isOpen;
      });
      const [first] = open;
      if (!first) return;
      const least = open.reduce((low, { from }) => (from < low ? from : low), first.from);
      const from = end - least > BigInt(pageEvents) ? end - BigInt(pageEvents) : least;
      const page = await this.store.readStream<ReservationEvent>(this.stream, from, pageEvents);
      for (const event of page.reverse()) note(event, bySource);
      end = from;
    }
  }
}

/** Keeps the entry as the source's newest, because the pass would have met a newer one before. */
function note(event: RecordedEvent<ReservationEvent>, bySource: Map<string, Search[]>): void {
  const { source } = event.data;
  const searches = bySource.get(source);
  if (!searches) return;
  const entry = entryOf(event);
  for (const { from, found } of searches) if (event.revision >= from) found.set(source, entry);
  bySource.delete(source);
}
