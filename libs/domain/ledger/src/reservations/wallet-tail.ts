import { type RecordedEvent } from '#domain/event-sourcing';
import { type Minor } from '#domain/kernel';
import { type ReservationEvent } from './reservation.events.js';

/** An event of a wallet's reservations, as far as decisions need it. */
export type ReservationEntry = Pick<RecordedEvent<ReservationEvent>, 'id' | 'revision'> &
  ReservationEvent;

/** The newest event of a source; undefined where it has none. */
export type NewestOf = (source: string) => ReservationEntry | undefined;

/** Enough for the sources of a minute and more at the highest rate of one wallet. */
const maxSources = 20_000;

/**
 * The newest part of a wallet's reservations as this process last saw it. Other processes write too, so it may be
 * stale: nothing follows from it but an append, whose expected revision asserts that the head is still there, or what is
 * decided beside such an append.
 */
export class WalletTail {
  /** The newest event of each source, the oldest of them first. */
  readonly #newest = new Map<string, ReservationEntry>();
  /** No event from here on is missing. */
  #first: bigint;
  /** Undefined: there is no stream. */
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

  /** How many sources it holds, which is what it weighs. */
  get size(): number {
    return this.#newest.size;
  }

  /** Whether it tells all that happened after the revision. */
  covers(since: bigint | undefined): boolean {
    return (since ?? 0n) >= this.#first;
  }

  readonly newestOf: NewestOf = (source) => this.#newest.get(source);

  /** @param entries what follows the head, in order; the head itself may stand before it */
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

  /** Forgets the oldest of more than may be kept. Not while anything is decided on it: what is gone looks like never. */
  trim(): void {
    for (const [source, { revision }] of this.#newest) {
      if (this.#newest.size <= maxSources) return;
      this.#newest.delete(source);
      this.#first = revision + 1n;
    }
  }
}

/** @returns the event without its evidence, which is many times its size */
export function entryOf(event: RecordedEvent<ReservationEvent>): ReservationEntry {
  const { id, revision } = event;
  return event.type === 'FundsReserved'
    ? { id, revision, type: event.type, data: event.data }
    : { id, revision, type: event.type, data: event.data };
}
