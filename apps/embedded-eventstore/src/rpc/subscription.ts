import { randomUUID } from 'node:crypto';
import { type StatusObject } from '@grpc/grpc-js';
import { type EventLog, type StoredEvent } from '../store/event-log.js';
import { TOMBSTONE_TYPE } from '../store/stream-metadata.js';
import { frameStream, frameType } from '../wire/frame.js';
import { allForwards, type Cursor, streamForwards } from './cursors.js';
import { consumerTooSlow, streamDeleted } from './errors.js';
import { type LiveHub, type LiveSubscriber } from './live-hub.js';
import { burst, send, turn } from './pacing.js';
import { type ReadCall } from './read-request.js';
import { type ReadRequest } from './read-request.js';
import { caughtUp, checkpoint, confirmation } from './read-replies.js';

/** Events fetched at a time while catching up. */
const PAGE_EVENTS = 256;
/** Messages that may still wait for a live subscriber when the next commit comes, as in EventStoreDB. */
const LIVE_BUFFER = 32;
/** Messages that are on their way to a live subscriber at most: they no longer count as waiting. */
const LIVE_BURST_MESSAGES = 16;
/** One append that brings a live subscriber more than this is more than any takes in time. */
const LIVE_BURST = 256;

/**
 * One subscription: catches up by cursor at the pace of the consumer, then follows the commits. Going live
 * happens in one turn of the event loop, so no event falls between; what both ways would bring is sent once.
 */
export class Subscription implements LiveSubscriber {
  readonly #call: ReadCall;
  readonly #log: EventLog;
  readonly #hub: LiveHub;
  readonly #request: ReadRequest;
  readonly #live: Buffer[] = [];
  /** Position of the last event considered; live events up to it were sent while catching up. */
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
    if (this.#over) return;
    this.#seen = Math.max(this.#seen, this.#log.lastPosition);
    this.#call.write([caughtUp]);
    this.#hub.add(this);
  }

  /** Where catching up begins; undefined where only new events are wanted. */
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

  /** The messages that an event brings: itself where it matches, a checkpoint where one is due. */
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

  deliver(appends: readonly (readonly StoredEvent[])[]): void {
    // What the consumer has left since the commit before is what counts, not how many appends share this one.
    let tooSlow = this.#live.length > LIVE_BUFFER;
    for (const events of appends) {
      const before = this.#live.length;
      for (const event of events) {
        if (event.position <= this.#seen) continue;
        if (this.#request.target === 'stream' && this.#foreign(event.frame)) continue;
        this.#live.push(...this.#consider(event));
      }
      tooSlow ||= this.#live.length - before > LIVE_BURST;
    }
    if (tooSlow) this.#drop(consumerTooSlow());
    else this.#pump();
  }

  /** Is the event another stream's? Ends the subscription where its stream was tombstoned. */
  #foreign(frame: Buffer): boolean {
    if (this.#request.target !== 'stream') return false;
    const { stream } = this.#request;
    if (!frameStream(frame).equals(stream)) return true;
    if (!frameType(frame).equals(TOMBSTONE_TYPE)) return false;
    this.#drop(streamDeleted(stream.toString('utf8')));
    return true;
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
