import { type SealedHead } from '#domain/audit';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';

/** Reads the signed heads of days. */
export abstract class SealedDays {
  /**
   * Reads the heads from the log itself, the oldest first.
   * @throws DependencyUnavailable
   */
  abstract heads(): Promise<readonly SealedHead[]>;
}

/** An opened message, and the events that name it with what each says of it. */
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

/** Reads messages that merchants and rails sent, as they were stored. */
export abstract class RetainedMessages {
  /**
   * Opens all stored messages about a stream. An event first records that they are shown, to whom and why.
   * @throws DependencyUnavailable
   */
  abstract open(
    stream: string,
    metadata: CommandMetadata,
  ): Promise<Result<readonly OpenedMessage[], 'nothing_kept' | 'too_many'>>;
}
