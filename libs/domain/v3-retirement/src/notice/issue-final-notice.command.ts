import { Command } from '@nestjs/cqrs';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';

/** `no_text`: a notice says something. */
export type FinalNoticeRefusal = 'v3_is_retired' | 'no_text';

/** Records the final notice to V3's merchants: from 30 days later on V3 may be retired. */
export class IssueFinalNotice extends Command<Result<undefined, FinalNoticeRefusal>> {
  constructor(
    readonly text: string,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
