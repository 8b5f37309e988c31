import { DeadlineExceeded, withDeadline } from '#infra/runtime';
import { type AppendResult } from '@eventstore/db-client';
import { isNotLeader, reasonOf } from './failure.js';
import { type ProposedAppend } from './wire/batch-append-request.js';

/** The client through which a connection appends. */
export interface AppendingClient {
  ready(): Promise<void>;
  append(request: ProposedAppend): Promise<AppendResult>;
  /** Resolves when every stream is seen closed. */
  endCalls(): Promise<void>;
  close(): Promise<void>;
}

/** @param onBatchEnd called at each end of the batch stream */
export type OpenAppendingClient = (onBatchEnd: (error?: Error) => void) => AppendingClient;

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
  append(request: ProposedAppend, deadlineMs: number): Promise<AppendResult> {
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
