import { GroupWriter, JSON_CONTENT, openStore } from '../../apps/embedded-eventstore/src/index.js';
import { eventTypes } from '#domain/event-types';
import { type NewEvent } from '#domain/event-sourcing';
import { EventCodec } from '#infra/eventstoredb';

/** Each append's own outcome says all. */
const ignore = (): void => undefined;

/** Appends to new streams. */
export interface Appender {
  append(stream: string, expected: 'no_stream', events: readonly NewEvent[]): Promise<unknown>;
}

/** Writes a log's files itself, without a server: several times as fast, and at any time of the past. */
export class LogWriter implements Appender {
  readonly #codec = new EventCodec(eventTypes);
  readonly #writer: GroupWriter;
  /** How long ago the next events are recorded. */
  agoMs = 0;

  private constructor(private readonly store: Awaited<ReturnType<typeof openStore>>) {
    const now = (): number => Date.now() - this.agoMs;
    this.#writer = new GroupWriter(store.log, now, ignore, ignore);
  }

  /** Opens the log in this folder, which no server has open, for `work`. */
  static async during(directory: string, work: (log: LogWriter) => Promise<void>): Promise<void> {
    const log = new LogWriter(await openStore(directory));
    try {
      await work(log);
    } finally {
      await log.#writer.close();
      await log.store.close();
    }
  }

  /** Resolves once the events are durable. @throws if they were refused */
  async append(stream: string, expected: 'no_stream', events: readonly NewEvent[]): Promise<void> {
    const outcome = await this.#writer.submit({
      kind: 'append',
      stream: Buffer.from(stream),
      expected,
      deadline: undefined,
      events: events.map((event) => this.proposed(event)),
    });
    if (outcome.kind !== 'written') throw new Error(`${stream}: ${outcome.kind}`);
  }

  private proposed(event: NewEvent) {
    const { id, type, data, metadata } = this.#codec.encode(event);
    return {
      id,
      type: Buffer.from(type),
      contentType: JSON_CONTENT,
      data: Buffer.from(data),
      metadata: Buffer.from(metadata),
    };
  }
}
