import { MAX_APPEND_BYTES } from '../store/commands.js';
import { type ProposedEvent } from '../wire/append-requests.js';

/** Added for each event besides its data and metadata, so that the number of empty ones is bounded too. */
const EVENT_OVERHEAD_BYTES = 32;
/** The most memory that one append may occupy, metadata included. */
const MAX_OCCUPIED_BYTES = 4 * MAX_APPEND_BYTES;

/** Adds up an append that arrives in pieces, and keeps its events only while it is not too large. */
export class AppendParts {
  readonly #events: ProposedEvent[] = [];
  #dataBytes = 0;
  #occupiedBytes = 0;

  add(event: ProposedEvent): void {
    this.#dataBytes += event.data.length;
    this.#occupiedBytes += event.data.length + event.metadata.length + EVENT_OVERHEAD_BYTES;
    if (this.tooLarge) this.#events.length = 0;
    else this.#events.push(event);
  }

  get tooLarge(): boolean {
    return this.#dataBytes > MAX_APPEND_BYTES || this.#occupiedBytes > MAX_OCCUPIED_BYTES;
  }

  get occupiedBytes(): number {
    return this.tooLarge ? 0 : this.#occupiedBytes;
  }

  get events(): readonly ProposedEvent[] {
    return this.#events;
  }
}
