import { type RecordedEvent } from '#domain/event-sourcing';
import { type Minor } from '#domain/kernel';
import { type ReservationEvent } from './reservation.events.js';

/** An event of a wallet's reservations, reduced to the part that decisions need. */
export type ReservationEntry = Pick<RecordedEvent<ReservationEvent>, 'id' | 'revision'> &
  ReservationEvent;

/** The newest event of a source; undefined if it has none. */
export type NewestOf = (source: string) => ReservationEntry | undefined;

/** Enough for the sources of more than a minute at the highest rate of one wallet. */
const maxSources = 20_000;

/**
 * The newest part of a wallet's reservations as this process last saw it. Other processes write too, so it may be
 * stale. Only an append may rely on it, because its expected revision asserts that the head is unchanged, or decisions
 * that go with such an append.
 */
export class WalletTail {
  /** The newest event of each source, ordered from the oldest. */
  readonly #newest = new Map<string, ReservationEntry>();
  /** The tail has every event from this revision on. */
  #first: bigint;
  /** Undefined if there is no stream. */
  #head: bigint | undefined;
  #totalMinor: Minor = 0n;

  /** @param events all from the revision on, as just read */
  constructor(from: bigint | undefined, events: readonly RecordedEvent<ReservationEvent>[]) {
    this.#first = from ?? 0n;
    this.extend(events.map(entryOf));
  }

  get first(): bigint {
    return this.#first;
  }

  get head(): bigint | undefined {
    return this.#head;
  }

  get totalMinor(): Minor {
    return this.#totalMinor;
  }

  /** The number of sources, which determines its size in memory. */
  get size(): number {
    return this.#newest.size;
  }

  /** True if it contains everything that happened after the revision. */
  covers(since: bigint | undefined): boolean {
    return (since ?? 0n) >= this.#first;
  }

  readonly newestOf: NewestOf = (source) => this.#newest.get(source);

  /** @param entries the events after the head, in order; the head itself may be the first */
  extend(entries: readonly ReservationEntry[]): void {
    for (const entry of entries) {
      this.#newest.delete(entry.data.source);
      this.#newest.set(entry.data.source, entry);
    }
    const last = entries.at(-1);
    if (!last) return;
    this.#head = last.revision;
    this.#totalMinor = last.data.totalMinor;
  }

  /**
   * Forgets the oldest sources beyond the limit. Never called during a decision, because a forgotten source looks like
   * one that never existed.
   */
  trim(): void {
    for (const [source, { revision }] of this.#newest) {
      if (this.#newest.size <= maxSources) return;
      this.#newest.delete(source);
      this.#first = revision + 1n;
    }
  }
}

/** @returns the event without its evidence, which is many times larger */
export function entryOf(event: RecordedEvent<ReservationEvent>): ReservationEntry {
  const { id, revision } = event;
  return event.type === 'FundsReserved'
    ? { id, revision, type: event.type, data: event.data }
    : { id, revision, type: event.type, data: event.data };
}
