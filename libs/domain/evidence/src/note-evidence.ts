import {
  type CommandMetadata,
  type EventStore,
  type ExpectedRevision,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { type Ids } from '#domain/kernel';
import { type EvidenceEvent, evidenceEventTypes, evidenceStream } from './evidence.events.js';

/** As many operators would have to act within milliseconds. */
const maxTries = 8;

/** Writes into the platform's stream of evidence, of which nothing but the end is read: it may be long. */
export class EvidenceLog {
  constructor(
    private readonly store: EventStore,
    private readonly ids: Ids,
  ) {}

  /** Durable when it resolves. @throws EventStoreUnavailable, WrongExpectedRevision after eight lost races */
  async note(event: EvidenceEvent, metadata: CommandMetadata): Promise<void> {
    const noted = {
      id: this.ids.next(),
      event,
      metadata: { ...metadata, v: evidenceEventTypes[event.type].version },
    };
    for (let tries = 1; ; tries += 1) {
      const last = await this.store.readLast(evidenceStream);
      const expected: ExpectedRevision = last?.revision ?? 'no_stream';
      try {
        await this.store.append(evidenceStream, expected, [noted]);
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || tries === maxTries) throw error;
      }
    }
  }
}
