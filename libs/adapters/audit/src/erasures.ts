import { type EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { type EvidenceEvent, evidenceStream } from '#domain/evidence';
import { payoutStream } from '#domain/payouts';
import { msFromInstant } from '#domain/kernel';

/** Events per read. */
const pageEvents = 1000;
/**
 * The longest time from an erasure's event to the last key that it deletes. A stream that begins in this time may lose
 * its key, too.
 */
const underWayMs = 24 * 3_600_000;

/** A stream's customer, from its first event. */
interface Person {
  readonly phoneHmac: string;
  readonly sinceMs: number;
}

/** The people whose evidence was erased, from the event history and not from the records. Memory: one entry per person. */
export class Erasures {
  /** The time of the last erasure, by the HMAC of the phone number. */
  readonly #erasedMs = new Map<string, number>();
  #next = 0n;
  #last: { readonly stream: string; readonly isErased: boolean } | undefined;

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /**
   * True if the number of the stream's customer was erased after the stream began. For a batch: the number of any of
   * its payouts' customers.
   * @throws EventStoreUnavailable, UnreadableEvent
   */
  async cover(stream: string): Promise<boolean> {
    // The events of one append, and those that follow, ask about the same stream.
    if (this.#last?.stream === stream) return this.#last.isErased;
    const people = await this.#peopleOf(stream);
    const isErased = people.some((person) => this.#covers(person)) || (await this.#readOn(people));
    this.#last = { stream, isErased };
    return isErased;
  }

  #covers({ phoneHmac, sinceMs }: Person): boolean {
    const erasedMs = this.#erasedMs.get(phoneHmac);
    return erasedMs !== undefined && sinceMs <= erasedMs + underWayMs;
  }

  /** Reads the erasures that were recorded since the last read. A check takes long, so new ones appear. */
  async #readOn(people: readonly Person[]): Promise<boolean> {
    for (;;) {
      const from = this.#next;
      const page = await this.store.readStream<EvidenceEvent>(evidenceStream, from, pageEvents);
      for (const { type, data, recordedAt, revision } of page) {
        if (type === 'EvidenceErased')
          this.#erasedMs.set(data.phoneHmac, msFromInstant(recordedAt));
        this.#next = revision + 1n;
      }
      if (page.length < pageEvents) return people.some((person) => this.#covers(person));
    }
  }

  async #peopleOf(stream: string): Promise<readonly Person[]> {
    const first = await this.#firstOf(stream);
    if (!first) return [];
    if (first.type !== 'PayoutBatchRequested') return personIn(first);
    const { mode, merchantId, references } = first.data as unknown as Parameters<
      typeof payoutStream
    >[0] & { readonly references: readonly string[] };
    const people: Person[] = [];
    for (const reference of references) {
      const payout = await this.#firstOf(payoutStream({ mode, merchantId, reference }));
      if (payout) people.push(...personIn(payout));
    }
    return people;
  }

  async #firstOf(stream: string): Promise<RecordedEvent | undefined> {
    const [first] = await this.store.readStream(stream, 0n, 1);
    return first;
  }
}

function personIn({ data, recordedAt }: RecordedEvent): readonly Person[] {
  if (!('phoneHmac' in data) || typeof data.phoneHmac !== 'string') return [];
  return [{ phoneHmac: data.phoneHmac, sinceMs: msFromInstant(recordedAt) }];
}
