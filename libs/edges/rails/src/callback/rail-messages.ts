import { type RailMessage } from '#adapters/records';

/** Where the rail's own bytes are kept, encrypted: the evidence of what is posted on them. */
export abstract class RailMessages {
  /** Durable when it resolves; a word whose id is there already changes nothing. @throws DependencyUnavailable */
  abstract keep(report: RailMessage): Promise<void>;
}
