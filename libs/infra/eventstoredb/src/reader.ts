import { EventStoreUnavailable } from '#domain/event-sourcing';
import { backoffMs, DeadlineExceeded } from '#infra/runtime';
import { type EventStoreDBClient } from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  finalError,
  isFinal,
  isNotLeader,
  isOurs,
  isTooSlow,
  reasonOf,
  unavailable,
  worthRenewing,
} from './failure.js';
import { GuardedClient } from './guarded-client.js';
import { type AdapterLogger } from './options.js';

export interface ReaderOptions {
  readonly open: () => EventStoreDBClient;
  /** The deadline of one read, retries included. */
  readonly deadlineMs: number;
  /** True if a new client may find another node. */
  readonly discovers: boolean;
  readonly logger: AdapterLogger;
  /** Called when the connection is renewed after a failure, so that its cause can be found. */
  readonly onTrouble?: () => void;
}

/** A client on loan; it is closed when it is stale and the last loan is returned. */
export interface Loan {
  readonly client: GuardedClient;
  giveBack(): void;
}

/** The deadline of a read call, and the signal that ends it earlier. */
export interface ReadLimits {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A call that reads. */
export type Read<T> = (client: GuardedClient, limits: ReadLimits) => Promise<T>;

interface Lending {
  readonly guarded: GuardedClient;
  loans: number;
  stale: boolean;
}

/** The share of the whole deadline for one attempt: if a server is silent, a second attempt elsewhere has time left. */
const attemptShare = 0.4;
const firstPauseMs = 25;
const maxPauseMs = 500;

/**
 * The client that reads. A client that failed once may keep a dead channel or a failed discovery for good, so the next
 * call gets a new one. Calls on the old one, especially subscriptions, continue undisturbed.
 */
export class Reader {
  readonly #options: ReaderOptions;
  #current: Lending | undefined;
  readonly #lendings = new Set<Lending>();
  #disposed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  get isDisposed(): boolean {
    return this.#disposed;
  }

  lend(): Loan {
    if (this.#disposed) throw new EventStoreUnavailable('the adapter was disposed of');
    const lending = (this.#current ??= this.#open());
    lending.loans += 1;
    let lent = true;
    return {
      client: lending.guarded,
      giveBack: () => {
        if (!lent) return;
        lent = false;
        lending.loans -= 1;
        this.#closeIfDone(lending);
      },
    };
  }

  /** The next calls get a new client. */
  renew(client: GuardedClient, reason: string): void {
    const current = this.#current;
    if (current?.guarded !== client) return;
    this.#options.logger.warn({ reason }, 'renewing the connection that reads');
    current.stale = true;
    this.#current = undefined;
    this.#closeIfDone(current);
    this.#options.onTrouble?.();
  }

  /**
   * Reads, and retries with growing pauses until the deadline.
   * @throws EventStoreUnavailable, UnknownEventType; Error for a defect of ours
   */
  async read<T>(read: Read<T>, signal?: AbortSignal): Promise<T> {
    const endsAt = performance.now() + this.#options.deadlineMs;
    for (let attempt = 1; ; attempt += 1) {
      const left = Math.max(1, endsAt - performance.now());
      const deadlineMs = Math.min(left, this.#options.deadlineMs * attemptShare);
      try {
        return await this.#once(read, { deadlineMs, signal });
      } catch (error) {
        if (isFinal(error)) throw finalError(error);
        if (isOurs(error)) throw error;
        const pause = backoffMs(attempt, firstPauseMs, maxPauseMs);
        if (this.#disposed || isAborted(signal) || performance.now() + pause >= endsAt)
          throw unavailable(error);
        await sleep(pause);
      }
    }
  }

  async #once<T>(read: Read<T>, limits: ReadLimits): Promise<T> {
    const loan = this.lend();
    try {
      return await read(loan.client, limits);
    } catch (error) {
      // The caller has gone, which says nothing about the connection.
      if (isAborted(limits.signal)) throw error;
      // A call with less than its share of time left says nothing about it, either.
      const share = this.#options.deadlineMs * attemptShare;
      const wasShort = limits.deadlineMs < share && error instanceof DeadlineExceeded;
      if (!wasShort) await this.afterFailure(loan.client, error);
      throw error;
    } finally {
      loan.giveBack();
    }
  }

  /** After a redirection the client continues at the leader; any other failure of the connection renews it. */
  async afterFailure(client: GuardedClient, error: unknown): Promise<void> {
    if (isFinal(error) || isTooSlow(error) || isOurs(error)) return;
    if (isNotLeader(error) && this.#current?.guarded === client) await client.redirected();
    else if (worthRenewing(error, this.#options.discovers)) this.renew(client, reasonOf(error));
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await Promise.all([...this.#lendings].map(({ guarded }) => guarded.close()));
    this.#lendings.clear();
    this.#current = undefined;
  }

  #open(): Lending {
    const lending = { guarded: new GuardedClient(this.#options.open()), loans: 0, stale: false };
    this.#lendings.add(lending);
    return lending;
  }

  #closeIfDone(lending: Lending): void {
    if (!lending.stale || lending.loans > 0) return;
    this.#lendings.delete(lending);
    void lending.guarded.close().catch((error: unknown) => {
      this.#options.logger.warn({ reason: reasonOf(error) }, 'a stale connection did not close');
    });
  }
}

/** Reads the signal through a function, so that the compiler does not assume its value across an await. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
