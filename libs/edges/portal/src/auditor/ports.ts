import { type SealedHead } from '#domain/audit';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';

/** The heads that were signed. */
export abstract class SealedDays {
  /** From the log itself, the oldest first. @throws DependencyUnavailable */
  abstract heads(): Promise<readonly SealedHead[]>;
}

/** A message that was opened, and what the events that name it say of it. */
export interface OpenedMessage {
  readonly message: {
    readonly id: string;
    readonly kind: string;
    readonly receivedAt: Date;
    readonly erasedAt: Date | undefined;
  };
  readonly contents:
    { readonly state: 'opened'; readonly bytes: Buffer } | { readonly state: 'erased' | 'sealed' };
  readonly named: readonly {
    readonly event: string;
    readonly commitmentIs: 'held' | 'broken' | 'sealed';
    readonly digest: 'matches' | 'differs' | 'not_checked';
    readonly signature?: 'valid' | 'invalid' | 'unknown_key' | 'not_checked';
  }[];
}

/** What merchants and rails sent, as it was kept. */
export abstract class RetainedMessages {
  /**
   * Opens all that is kept about a stream. That it was shown, to whom and why, is an event before anything is opened.
   * @throws DependencyUnavailable
   */
  abstract open(
    stream: string,
    metadata: CommandMetadata,
  ): Promise<Result<readonly OpenedMessage[], 'nothing_kept' | 'too_many'>>;
}
