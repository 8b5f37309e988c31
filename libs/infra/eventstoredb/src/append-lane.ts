import {
  type Appended,
  EventStoreUnavailable,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { backoffMs, DeadlineExceeded, withDeadline } from '#infra/runtime';
import { type AppendResult, WrongExpectedVersionError } from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppendConnection, type OpenAppendingClient } from './append-connection.js';
import { finalError, isDiskRefused, isFinal, unavailable, worthRenewing } from './failure.js';
import { type AdapterLogger } from './options.js';
import { type ProposedAppend } from './wire/batch-append-request.js';

export interface AppendLaneOptions {
  readonly open: OpenAppendingClient;
  /** The deadline of one append, retries included. */
  readonly deadlineMs: number;
  /** True if a new client may find another node. */
  readonly discovers: boolean;
  readonly logger: AdapterLogger;
  /** The process must end: it cannot be known if an old batch stream still lives. */
  readonly onFatal: (error: Error) => void;
}

/**
 * More in one process is an overload that waiting makes worse. The limits also replace the stream's own back-pressure
 * (see guarded-client.ts), so they bound memory.
 */
const maxInFlight = 2_048;
/** Maximum number of characters of the events' JSON. A single append may have more; the server refuses it. */
const maxTextInFlight = 32 * 1024 * 1024;
/** Closing is local work: cancelled calls end without the server. */
const closeDeadlineMs = 1_000;
/** The share of the whole deadline for one attempt: if a server falls silent, a second attempt elsewhere has time left. */
const attemptShare = 0.4;
const firstPauseMs = 25;
const maxPauseMs = 500;

/** The client keeps appends in flight in one table per process. This lane is the only one that may use it. */
let laneOfProcess: AppendLane | undefined;

/**
 * The only way to append in this process. An append with an unknown outcome is sent again with the same ids and the
 * same expected revision, which the store recognizes. After any trouble with the batch stream, the old one is seen
 * closed before the next one opens.
 */
export class AppendLane {
  readonly #options: AppendLaneOptions;
  #connection: AppendConnection | undefined;
  #connecting: Promise<AppendConnection> | undefined;
  #failuresToConnect = 0;
  #inFlight = 0;
  #textInFlight = 0;
  #ended: string | undefined;

  constructor(options: AppendLaneOptions) {
    this.#options = options;
  }

  /** @throws WrongExpectedRevision, EventStoreUnavailable; Error for a defect of ours */
  async append(request: ProposedAppend): Promise<Appended> {
    this.#claimProcess();
    const text = textOf(request);
    const isTooMuch = this.#inFlight > 0 && this.#textInFlight + text > maxTextInFlight;
    if (this.#inFlight >= maxInFlight || isTooMuch)
      throw new EventStoreUnavailable(`${this.#inFlight} appends are in flight`);
    this.#inFlight += 1;
    this.#textInFlight += text;
    try {
      return await this.#appendWithin(request, performance.now() + this.#options.deadlineMs);
    } finally {
      this.#inFlight -= 1;
      this.#textInFlight -= text;
    }
  }

  async #appendWithin(request: ProposedAppend, endsAt: number): Promise<Appended> {
    const shareMs = this.#options.deadlineMs * attemptShare;
    let refused: Refused | undefined;
    for (let attempt = 1; ; attempt += 1) {
      let connection: AppendConnection | undefined;
      try {
        connection = await this.#usable(endsAt);
        const left = Math.max(1, endsAt - performance.now());
        const wait = { deadlineMs: Math.min(left, shareMs), provesSilence: left >= shareMs };
        return appended(await connection.append(request, wait));
      } catch (error) {
        if (error instanceof WrongExpectedVersionError)
          throw new WrongExpectedRevision(request.stream, error.actualVersion);
        if (isFinal(error)) throw finalError(error);
        if (isDiskRefused(error)) throw unavailable(error);
        refused = refusedBy(connection, error, refused);
        const pause = backoffMs(attempt, firstPauseMs, maxPauseMs);
        if (this.#ended !== undefined || performance.now() + pause >= endsAt)
          throw unavailable(error);
        await sleep(pause);
      }
    }
  }

  /** The open connection, or the next one, which all callers await together. */
  async #usable(endsAt: number): Promise<AppendConnection> {
    if (this.#ended !== undefined) throw new EventStoreUnavailable(this.#ended);
    if (this.#connection?.usable) return this.#connection;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    const left = Math.max(1, endsAt - performance.now());
    return withDeadline(this.#connecting, left, 'connecting to the event store');
  }

  async #connect(): Promise<AppendConnection> {
    const goesOn = await this.#retireBroken();
    if (this.#failuresToConnect > 0)
      await sleep(backoffMs(this.#failuresToConnect, firstPauseMs, maxPauseMs));
    if (this.#ended !== undefined) throw new EventStoreUnavailable(this.#ended);
    const connection = goesOn ?? new AppendConnection(this.#options.open);
    this.#connection = connection;
    try {
      await connection.ready(this.#options.deadlineMs * attemptShare);
      this.#failuresToConnect = 0;
      return connection;
    } catch (error) {
      this.#failuresToConnect += 1;
      if (worthRenewing(error, this.#options.discovers)) connection.break(error as Error);
      throw error;
    }
  }

  /** @returns the connection that continues: not ready yet, or redirected to the leader */
  async #retireBroken(): Promise<AppendConnection | undefined> {
    const old = this.#connection;
    if (!old?.broken) return old;
    this.#options.logger.warn({ reason: old.reason }, 'renewing the connection that appends');
    try {
      return (await old.retire(closeDeadlineMs)) === 'redirected' ? old : undefined;
    } catch (error) {
      throw this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): EventStoreUnavailable {
    this.#ended = 'a broken batch stream was not seen to close';
    const fatal = new EventStoreUnavailable(this.#ended, { cause: error });
    this.#options.onFatal(fatal);
    return fatal;
  }

  #claimProcess(): void {
    if (laneOfProcess && laneOfProcess !== this)
      throw new TypeError('another EventStoreDb of this process appends: dispose of it first');
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the process's one lane is what is noted
    laneOfProcess = this;
  }

  /** Appends in flight fail with an unknown outcome. Rejects if the stream was not seen to close. */
  async dispose(): Promise<void> {
    this.#ended ??= 'the adapter was disposed of';
    await this.#connecting?.catch(() => undefined);
    await this.#connection?.close(closeDeadlineMs);
    this.#connection = undefined;
    if (laneOfProcess === this) laneOfProcess = undefined;
  }
}

/** An answer that was an error: its connection, and the number of successes so far. */
interface Refused {
  readonly by: AppendConnection;
  readonly successes: number;
}

/**
 * One error leaves the stream whole. Two errors on one connection, without a success in between, may mean a node that
 * cannot commit: the connection breaks. An append that timed out proves nothing.
 */
function refusedBy(
  connection: AppendConnection | undefined,
  error: unknown,
  before: Refused | undefined,
): Refused | undefined {
  if (!connection || connection.broken || error instanceof DeadlineExceeded) return before;
  const { successes } = connection;
  if (before?.by === connection && before.successes === successes) connection.break(error as Error);
  return { by: connection, successes };
}

function appended({ nextExpectedRevision, position }: AppendResult): Appended {
  if (!position) throw new EventStoreUnavailable('the append was answered without a position');
  return { revision: nextExpectedRevision, position: position.commit };
}

function textOf({ events }: ProposedAppend): number {
  return events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
}
