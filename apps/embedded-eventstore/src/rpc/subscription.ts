import { randomUUID } from 'node:crypto';
import { type StatusObject } from '@grpc/grpc-js';
import { type EventLog, type StoredEvent } from '../store/event-log.js';
import { TOMBSTONE_TYPE } from '../store/stream-metadata.js';
import { frameRevision, frameStream, frameType } from '../wire/frame.js';
import { allForwards, type Cursor, streamForwards } from './cursors.js';
import { consumerTooSlow, streamDeleted } from './errors.js';
import { type LiveHub, type LiveSubscriber } from './live-hub.js';
import { burst, send, turn } from './pacing.js';
import { type ReadCall, type ReadRequest } from './read-request.js';
import { caughtUp, checkpoint, confirmation } from './read-replies.js';

/** Events fetched at a time while catching up. */
const PAGE_EVENTS = 256;
/** The most messages that may still wait for a live subscriber when the next commit comes, as in EventStoreDB. */
const LIVE_BUFFER = 32;
/** The most messages in transit to a live subscriber. They no longer count as waiting. */
const LIVE_BURST_MESSAGES = 16;
/** No live subscriber keeps up with an append that brings it more messages than this. */
const LIVE_BURST = 256;

/**
 * One subscription. It catches up by cursor at the consumer's pace, then follows the commits. It goes live within one
 * turn of the event loop, so no event is lost in between, and an event that both ways bring is sent once.
 */
export class Subscription implements LiveSubscriber {
  readonly #call: ReadCall;
  readonly #log: EventLog;
  readonly #hub: LiveHub;
  readonly #request: ReadRequest;
  readonly #live: Buffer[] = [];
  /** Position of the last event considered. Live events up to it were sent while catching up. */
  #seen = 0;
  #sinceCheckpoint = 0;
  #over = false;
  #sending = false;

  constructor(call: ReadCall, log: EventLog, hub: LiveHub, request: ReadRequest) {
    this.#call = call;
    this.#log = log;
    this.#hub = hub;
    this.#request = request;
  }

  start(): void {
    const stop = () => {
      this.#over = true;
      this.#hub.remove(this);
    };
    this.#call.once('cancelled', stop);
    this.#call.once('close', stop);
    this.#call.once('error', stop);
    this.#call.write([confirmation(randomUUID())]);
    void this.#follow();
  }

  async #follow(): Promise<void> {
    const cursor = this.#cursor();
    if (cursor !== undefined) await this.#catchUp(cursor);
    if (this.#over || this.#endsWithItsStream()) return;
    this.#seen = Math.max(this.#seen, this.#log.lastPosition);
    this.#call.write([caughtUp]);
    this.#hub.add(this);
  }

  /** Returns the start of catching up; undefined if only new events are wanted. */
  #cursor(): Cursor | undefined {
    const { from } = this.#request;
    if (from === 'end') return undefined;
    const after = from === 'start' ? 0 : from + 1;
    if (this.#request.target === 'stream') {
      return streamForwards(this.#log, this.#request.stream, after);
    }
    if (from !== 'start') this.#seen = from;
    return allForwards(this.#log, after);
  }

  async #catchUp(cursor: Cursor): Promise<void> {
    for (;;) {
      const page = cursor.next(PAGE_EVENTS);
      if (page.length === 0) return;
      await send(
        this.#call,
        page.flatMap((event) => this.#consider(event)),
      );
      if (this.#over) return;
      await turn();
    }
  }

  /** Returns the messages for an event: the event if it matches, and a checkpoint if one is due. */
  #consider({ position, frame }: StoredEvent): Buffer[] {
    this.#seen = position;
    if (this.#request.target === 'stream') return [frame];
    const { filter } = this.#request;
    if (filter === undefined) return [frame];
    const messages = filter.matches(frame) ? [frame] : [];
    this.#sinceCheckpoint++;
    if (this.#sinceCheckpoint >= filter.checkpointEvery) {
      this.#sinceCheckpoint = 0;
      messages.push(checkpoint(position));
    }
    return messages;
  }

  /** Ends the subscription if its stream was tombstoned while it caught up. */
  #endsWithItsStream(): boolean {
    if (this.#request.target !== 'stream') return false;
    const { stream } = this.#request;
    if (!this.#log.isTombstoned(stream)) return false;
    this.#drop(streamDeleted(stream.toString('utf8')));
    return true;
  }

  deliver(appends: readonly (readonly StoredEvent[])[]): void {
    // The messages left since the previous commit count here, regardless of the number of appends in this one.
    let tooSlow = this.#live.length > LIVE_BUFFER;
    for (const events of appends) {
      const before = this.#live.length;
      for (const event of events) {
        if (event.position <= this.#seen) continue;
        if (this.#request.target === 'stream' && this.#passesOver(event.frame)) continue;
        this.#live.push(...this.#consider(event));
      }
      tooSlow ||= this.#live.length - before > LIVE_BURST;
    }
    if (tooSlow) this.#drop(consumerTooSlow());
    else this.#pump();
  }

  /**
   * True if the event belongs to another stream, or is not behind the revision from which the subscription started: that
   * may lie beyond the end of its stream. Ends the subscription if its own stream was tombstoned.
   */
  #passesOver(frame: Buffer): boolean {
    if (this.#request.target !== 'stream') return false;
    const { stream, from } = this.#request;
    if (!frameStream(frame).equals(stream)) return true;
    if (frameType(frame).equals(TOMBSTONE_TYPE)) {
      this.#drop(streamDeleted(stream.toString('utf8')));
      return true;
    }
    return typeof from === 'number' && frameRevision(frame) <= from;
  }

  #pump(): void {
    if (this.#over || this.#sending || this.#live.length === 0) return;
    const messages = burst(this.#live, LIVE_BURST_MESSAGES);
    this.#live.splice(0, messages.length);
    this.#sending = true;
    this.#call.write(messages, () => {
      this.#sending = false;
      this.#pump();
    });
  }

  #drop(why: StatusObject): void {
    if (this.#over) return;
    this.#live.length = 0;
    this.#call.emit('error', why);
  }
}
