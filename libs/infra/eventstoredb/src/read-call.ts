import { convertToCommandError } from '@eventstore/db-client';
import { type ClientReadableStream } from '@grpc/grpc-js';
import { type GuardedClient } from './guarded-client.js';
import { decodeReadMessage, type ReadMessage } from './wire/read-response.js';

const path = '/event_store.client.streams.Streams/Read';

/**
 * Maximum number of bytes held for a busy consumer; at this size, the server is asked for no more. Some hundreds of
 * events.
 */
const readAheadBytes = 512 * 1024;

export interface ReadCallOptions {
  /** ReadReq, encoded. */
  readonly request: Buffer;
  readonly requiresLeader: boolean;
}

/** A Read call: its messages are taken in batches, and decoded when they are taken. */
export class ReadCall {
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #wake: () => void = () => undefined;
  #call: ClientReadableStream<Buffer> | undefined;
  #over = false;
  #error: Error | undefined;

  /** Begins the call. It keeps an error for the consumer that takes; no other code must listen. */
  constructor(client: GuardedClient, { request, requiresLeader }: ReadCallOptions) {
    const begun = client.open({
      name: 'read',
      requiresLeader,
      begin: (grpc, metadata, options) =>
        grpc
          .makeServerStreamRequest(path, asIs, asIs, request, metadata, options)
          .on('data', (message: Buffer) => {
            this.#receive(message);
          })
          .on('error', (error) => {
            this.#end(convertToCommandError(error));
          })
          .on('end', () => {
            this.#end();
          }),
    });
    begun.then(
      (call) => {
        this.#call = call;
        if (this.#over) cancelled(call);
      },
      (error: unknown) => {
        this.#end(error as Error);
      },
    );
  }

  /**
   * All messages since the last call, at least one; undefined if the call is over.
   * @throws the package's errors; RangeError for an unreadable answer
   */
  async take(): Promise<ReadMessage[] | undefined> {
    while (this.#queue.length === 0) {
      if (this.#error) throw this.#error;
      if (this.#over) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const messages = this.#queue;
    this.#empty();
    this.#call?.resume();
    return messages.map(decodeReadMessage);
  }

  /** Ends the call, including one that has not begun yet, and drops its messages. */
  cancel(): void {
    const call = this.#call;
    if (!this.#over && call) cancelled(call);
    this.#empty();
    this.#error = undefined;
    this.#end();
  }

  #receive(message: Buffer): void {
    if (this.#over) return;
    this.#queue.push(message);
    this.#queuedBytes += message.length;
    if (this.#queuedBytes >= readAheadBytes) this.#call?.pause();
    this.#wake();
  }

  #empty(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }

  #end(error?: Error): void {
    if (!this.#over) this.#error = error;
    this.#over = true;
    this.#wake();
  }
}

/** Runs in a turn of its own: a call that is cancelled while it delivers data may break (grpc-node 1464 and 1652). */
function cancelled(call: ClientReadableStream<Buffer>): void {
  setImmediate(() => {
    call.cancel();
  });
}

const asIs = (message: Buffer): Buffer => message;
