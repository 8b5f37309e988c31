import { DeadlineExceeded, withDeadline } from '#infra/runtime';
import { type AppendResult } from '@eventstore/db-client';
import { isNotLeader, reasonOf } from './failure.js';
import { type ProposedAppend } from './wire/batch-append-request.js';

/** The client that a connection appends with. */
export interface AppendingClient {
  ready(): Promise<void>;
  append(request: ProposedAppend): Promise<AppendResult>;
  /** Resolves when every stream is seen closed. */
  endCalls(): Promise<void>;
  close(): Promise<void>;
}

/** @param onBatchEnd called at each end of the batch stream */
export type OpenAppendingClient = (onBatchEnd: (error?: Error) => void) => AppendingClient;

/** The time for which an append waits for its answer. */
export interface AppendWait {
  readonly deadlineMs: number;
  /** True if a server that is silent for this long must be left: a new connection may do better. */
  readonly provesSilence: boolean;
}

/**
 * One life of the batch stream: from a ready client to the first sign of trouble. Then it is broken: every append in
 * flight fails at once with an unknown outcome, and the connection sends nothing more.
 */
export class AppendConnection {
  readonly #client: AppendingClient;
  readonly #waiting = new Set<(error: Error) => void>();
  /** The number of all answers, and of successful ones. */
  #answers = 0;
  #successes = 0;
  #brokenBy: Error | undefined;
  #isReady = false;

  constructor(open: OpenAppendingClient) {
    this.#client = open((error) => {
      this.break(error ?? new Error('the server ended the batch stream'));
    });
  }

  /** True while appends may be sent: after it is ready and before it breaks. */
  get usable(): boolean {
    return this.#isReady && !this.broken;
  }

  get broken(): boolean {
    return this.#brokenBy !== undefined;
  }

  /** The reason why it is broken, for a log. */
  get reason(): string {
    return reasonOf(this.#brokenBy);
  }

  /** Call this again if the deadline was too short. */
  async ready(deadlineMs: number): Promise<void> {
    await withDeadline(this.#client.ready(), deadlineMs, 'connecting to the event store');
    this.#isReady = true;
  }

  /** The number of appends that succeeded on it. */
  get successes(): number {
    return this.#successes;
  }

  /**
   * Settles within the deadline, whatever the server and the client do. An append that times out fails alone, because
   * others may still be answered in time; it breaks the connection only if it proves that the server is silent.
   */
  append(
    request: ProposedAppend,
    { deadlineMs, provesSilence }: AppendWait,
  ): Promise<AppendResult> {
    const answersBefore = this.#answers;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(fail);
      };
      const fail = (error: Error): void => {
        settle();
        reject(error);
      };
      const giveUp = (): void => {
        if (!this.#waiting.has(fail)) return;
        const late = new DeadlineExceeded(`an append was not answered (${deadlineMs} ms)`);
        if (provesSilence && this.#answers === answersBefore) this.break(late);
        else fail(late);
      };
      // After a pause of this process, read the answers that have arrived meanwhile before giving up.
      const timer = setTimeout(() => setImmediate(giveUp), deadlineMs);
      this.#waiting.add(fail);
      this.#client.append(request).then(
        (result) => {
          this.#answers += 1;
          this.#successes += 1;
          settle();
          resolve(result);
        },
        (error: unknown) => {
          this.#answers += 1;
          fail(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  break(error: Error): void {
    this.#brokenBy ??= error;
    for (const fail of this.#waiting) fail(error);
  }

  /**
   * Ends a broken connection; rejects if its stream was not seen closed in time.
   * @returns `redirected` if the same client continues, because it now knows the leader
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
