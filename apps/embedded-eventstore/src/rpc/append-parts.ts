import { MAX_APPEND_BYTES } from '../store/commands.js';
import { type ProposedEvent } from '../wire/append-requests.js';

/** Added for each event besides its data and metadata, so that the number of empty ones is bounded too. */
const EVENT_OVERHEAD_BYTES = 32;
/** EventStoreDB counts a type in UTF-16. Types are ASCII: each byte is a character. */
const TYPE_BYTES_PER_CHARACTER = 2;
/** The most memory that one append may occupy. */
const MAX_OCCUPIED_BYTES = 4 * MAX_APPEND_BYTES;

/** Adds up an append that arrives in pieces, and keeps its events only while it is not too large. */
export class AppendParts {
  readonly #events: ProposedEvent[] = [];
  /** The bytes that count against EventStoreDB's limit: data, metadata and types. */
  #countedBytes = 0;
  #occupiedBytes = 0;

  add(event: ProposedEvent): void {
    const bytes = event.data.length + event.metadata.length;
    this.#countedBytes += bytes + event.type.length * TYPE_BYTES_PER_CHARACTER;
    this.#occupiedBytes += bytes + EVENT_OVERHEAD_BYTES;
    if (this.tooLarge) this.#events.length = 0;
    else this.#events.push(event);
  }

  get tooLarge(): boolean {
    return this.#countedBytes > MAX_APPEND_BYTES || this.#occupiedBytes > MAX_OCCUPIED_BYTES;
  }

  get occupiedBytes(): number {
    return this.tooLarge ? 0 : this.#occupiedBytes;
  }

  get events(): readonly ProposedEvent[] {
    return this.#events;
  }
}
