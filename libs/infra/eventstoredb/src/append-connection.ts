import streams from '@eventstore/db-client/generated/streams_pb.js';
import { DeadlineExceeded, withDeadline } from '#infra/runtime';
import { type AppendResult, type EventData, type EventStoreDBClient } from '@eventstore/db-client';
import { isNotLeader, reasonOf } from './failure.js';
import { GuardedClient } from './guarded-client.js';

/** What is sent: all of it again, unchanged, when the outcome is unknown. */
export interface AppendRequest {
  readonly stream: string;
  readonly expectedRevision: 'no_stream' | bigint;
  readonly events: EventData[];
}

/** The client through which a connection appends. */
export interface AppendingClient {
  ready(): Promise<void>;
  append(request: AppendRequest): Promise<AppendResult>;
  /** Resolves when every stream is seen closed. */
  endCalls(): Promise<void>;
  close(): Promise<void>;
}

/** @param onBatchEnd called at each end of the batch stream */
export type OpenAppendingClient = (onBatchEnd: (error?: Error) => void) => AppendingClient;

export function appendingClient(open: () => EventStoreDBClient): OpenAppendingClient {
  handOverBytes();
  return (onBatchEnd) => {
    const guarded = new GuardedClient(open(), onBatchEnd);
    return {
      ready: () => guarded.ready(),
      append: ({ stream, expectedRevision, events }) =>
        guarded.client.appendToStream(stream, events, { expectedRevision, requiresLeader: true }),
      endCalls: () => guarded.endCalls(),
      close: () => guarded.close(),
    };
  };
}

/**
 * One life of the batch stream: from a client that is ready to the first sign of trouble. Then it is broken:
 * every append in flight fails at once with an unknown outcome, and nothing more is sent.
 */
export class AppendConnection {
  readonly #client: AppendingClient;
  readonly #waiting = new Set<(error: Error) => void>();
  #brokenBy: Error | undefined;
  #isReady = false;

  constructor(open: OpenAppendingClient) {
    this.#client = open((error) => {
      this.break(error ?? new Error('the server ended the batch stream'));
    });
  }

  /** Nothing is sent before it is ready, and nothing after it broke. */
  get usable(): boolean {
    return this.#isReady && !this.broken;
  }

  get broken(): boolean {
    return this.#brokenBy !== undefined;
  }

  /** Why it is broken, in words for a log. */
  get reason(): string {
    return reasonOf(this.#brokenBy);
  }

  /** May be asked again where the deadline was too short. */
  async ready(deadlineMs: number): Promise<void> {
    await withDeadline(this.#client.ready(), deadlineMs, 'connecting to the event store');
    this.#isReady = true;
  }

  /** Settles within the deadline, whatever the server and the client do. */
  append(request: AppendRequest, deadlineMs: number): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(fail);
      };
      const fail = (error: Error): void => {
        settle();
        reject(error);
      };
      const timer = setTimeout(() => {
        this.break(new DeadlineExceeded(`an append was not answered (${deadlineMs} ms)`));
      }, deadlineMs);
      this.#waiting.add(fail);
      this.#client.append(request).then((result) => {
        settle();
        resolve(result);
      }, fail);
    });
  }

  break(error: Error): void {
    this.#brokenBy ??= error;
    for (const fail of this.#waiting) fail(error);
  }

  /**
   * Ends what is broken; rejects where its stream was not seen closed in time.
   * @returns whether the same client goes on, because it now knows the leader
   */
  async retire(deadlineMs: number): Promise<'closed' | 'redirected'> {
    const redirected = isNotLeader(this.#brokenBy);
    const ended = redirected ? this.#client.endCalls() : this.#client.close();
    await withDeadline(ended, deadlineMs, 'the batch stream was not seen to close');
    if (!redirected) return 'closed';
    this.#brokenBy = undefined;
    this.#isReady = false;
    return 'redirected';
  }

  async close(deadlineMs: number): Promise<void> {
    this.break(new Error('the adapter was disposed of'));
    await withDeadline(this.#client.close(), deadlineMs, 'the batch stream was not seen to close');
  }
}

interface ProposedMessage {
  setData(value: Uint8Array | string): unknown;
}

/**
 * The client hands an event's JSON to its generated message as base64 text, which google-protobuf then decodes in
 * JavaScript, twice per event: more than half of an appending process's time. Given bytes it copies them. The
 * wire is the same to the byte (see message-bytes.spec.ts).
 */
export function handOverBytes(): void {
  const { prototype } = streams.BatchAppendReq.ProposedMessage as unknown as {
    prototype: ProposedMessage & { takesBytes?: true };
  };
  if (prototype.takesBytes) return;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its message below
  const { setData } = prototype;
  prototype.setData = function (this: ProposedMessage, value) {
    const bytes = typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
    return setData.call(this, bytes);
  };
  prototype.takesBytes = true;
}
