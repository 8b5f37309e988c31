import {
  type Appended,
  type EventRecord,
  EventStore,
  EventStoreUnavailable,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Subscription,
} from '#domain/event-sourcing';
import { type Life } from '../core/life.js';
import { type VirtualTimer } from '../core/ports.js';
import { type MemoryLog } from './log.js';
import { MemorySubscription } from './subscription.js';

/**
 * The values of libs/infra/eventstoredb, but with fewer tries: a try takes a share of the whole deadline, and pauses
 * grow.
 */
const deadlineMs = 5000;
const tryDeadlineMs = 2000;
const firstPauseMs = 100;

/**
 * The event store as one process reaches it. It keeps the promises of libs/infra/eventstoredb: an append of unknown
 * outcome is sent again, with the same ids and expected revision, within its deadline. After that the outcome stays
 * unknown.
 */
export class SimulatedEventStore extends EventStore {
  constructor(
    protected readonly life: Life,
    protected readonly log: MemoryLog,
    private readonly timer: VirtualTimer,
  ) {
    super();
  }

  override append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    const types = events.map(({ event }) => event.type).join(' and ');
    const at = expected === 'no_stream' ? 'as the first' : `after revision ${expected}`;
    return this.#within(`appends ${types} to ${stream} ${at}`, (attempt) =>
      this.write(stream, expected, events, attempt),
    );
  }

  override readStream<E extends EventRecord>(
    stream: string,
    from = 0n,
    limit = Infinity,
  ): Promise<RecordedEvent<E>[]> {
    return this.#within(
      `reads ${stream}`,
      () => this.log.stream(stream).slice(Number(from), Number(from) + limit) as RecordedEvent<E>[],
    );
  }

  override async readLast<E extends EventRecord>(
    stream: string,
  ): Promise<RecordedEvent<E> | undefined> {
    return (await this.readStream<E>(stream)).at(-1);
  }

  override head(): Promise<Position> {
    return this.#within(
      'asks where the log ends',
      () => this.log.head,
      () => true,
    );
  }

  override end(): Promise<Position> {
    return this.head();
  }

  override subscribe(after: Position | 'start'): Promise<Subscription> {
    const from = after === 'start' ? 0n : after;
    return this.#within(
      `subscribes after position ${from}`,
      () => new MemorySubscription(this.life, this.log, from),
    );
  }

  override readAll(): AsyncIterable<RecordedEvent> {
    throw new TypeError('nothing that is simulated reads the log so');
  }

  /** Makes one try of an append at the server. @param attempt counts the tries from 1 */
  protected write(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    _attempt: number,
  ): Appended {
    return this.log.append(stream, expected, events);
  }

  async #within<T>(
    what: string,
    serve: (attempt: number) => T,
    isRoutine: (answer: T) => boolean = () => false,
  ): Promise<T> {
    const endsAtMs = this.life.world.nowMs + deadlineMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.life.call({
          server: 'event store',
          what,
          serve: () => serve(attempt),
          isRoutine,
          deadlineMs: tryDeadlineMs,
          unavailable: (why) => new EventStoreUnavailable(why),
        });
      } catch (error) {
        const pauseMs = firstPauseMs * 4 ** (attempt - 1);
        const isOver = this.life.world.nowMs + pauseMs >= endsAtMs;
        if (!(error instanceof EventStoreUnavailable) || isOver) throw error;
        await this.timer.sleep(pauseMs);
      }
    }
  }
}
