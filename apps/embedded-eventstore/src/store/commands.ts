import { type ExpectedRevision, type ProposedEvent } from '../wire/append-requests.js';

export interface AppendCommand {
  readonly kind: 'append';
  /** The stream's name, UTF-8. */
  readonly stream: Buffer;
  readonly expected: ExpectedRevision;
  readonly events: readonly ProposedEvent[];
  /** Milliseconds of the Unix epoch, by the server's own clock. After this the append is refused. */
  readonly deadline: number | undefined;
}

export interface DeleteCommand {
  readonly kind: 'delete' | 'tombstone';
  readonly stream: Buffer;
  readonly expected: ExpectedRevision;
}

export type StoreCommand = AppendCommand | DeleteCommand;

/** The outcome of a command. If it is `written`, the events are durable. */
export type Outcome =
  | {
      readonly kind: 'written';
      /** Revision of the last event; −1 in a stream without events. */
      readonly revision: number;
      /** Position of the last event; absent if an append without events wrote none. */
      readonly position: number | undefined;
    }
  | { readonly kind: 'wrong-expected'; readonly actual: number }
  | { readonly kind: 'stream-deleted' }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'too-large' }
  /** The disk stored nothing of the command's group. */
  | { readonly kind: 'storage-failed'; readonly reason: string }
  | { readonly kind: 'shutting-down' };

/** Largest sum of the bytes of data, metadata and types in one append, EventStoreDB's default. */
export const MAX_APPEND_BYTES = 1024 * 1024;
