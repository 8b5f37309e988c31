import { type EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { digestWith, emptyDigest, type Sha256Hex } from './loss-collector.js';
import { type LossesListed, lossListStream } from './losses.events.js';

/** The contents of a list, as the log has it. */
export interface ListContents {
  readonly messages: number;
  readonly claims: number;
  readonly digest: string;
  /** The person who wrote it; undefined if it is empty, or if several people did. */
  readonly listedBy: string | undefined;
}

/** Parts per read: some megabytes. */
const pageEvents = 32;

/** Reads the lists of losses from the log, a few parts at a time. */
export class LossLists {
  constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly sha256Hex: Sha256Hex,
  ) {}

  /**
   * Reads a whole list.
   * @param look receives each part
   * @throws EventStoreUnavailable, UnreadableEvent
   */
  async read(
    list: string,
    look: (part: RecordedEvent<LossesListed>) => void | Promise<void>,
  ): Promise<ListContents> {
    const counts = { messages: 0, claims: 0 };
    const writers = new Set<string>();
    let digest = emptyDigest;
    for (let next = 0n; ; next += BigInt(pageEvents)) {
      const page = await this.store.readStream<LossesListed>(
        lossListStream(list),
        next,
        pageEvents,
      );
      for (const part of page) {
        counts[part.data.kind] += part.data.ids.length;
        writers.add(part.metadata.actor.id);
        digest = digestWith(this.sha256Hex, digest, part.data);
        await look(part);
      }
      if (page.length < pageEvents) {
        const [writer, ...others] = writers;
        return { ...counts, digest, listedBy: others.length === 0 ? writer : undefined };
      }
    }
  }

  /**
   * Reads one part again.
   * @throws EventStoreUnavailable, UnreadableEvent
   */
  async readPart(list: string, revision: bigint): Promise<readonly string[]> {
    const [part] = await this.store.readStream<LossesListed>(lossListStream(list), revision, 1);
    return part?.data.ids ?? [];
  }
}
