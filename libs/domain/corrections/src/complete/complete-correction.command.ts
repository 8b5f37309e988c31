import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type CorrectionKey } from '../correction.events.js';

/** `not_reserved`: the log holds no reservation for it, so nobody's confirmation stands. */
export type CompleteRefusal = 'unknown_correction' | 'not_reserved';

export type Completion = 'completed' | 'unchanged';

/** Posts a confirmed correction whose process died after the funds were reserved. */
export class CompleteCorrection extends Command<Result<Completion, CompleteRefusal>> {
  constructor(
    readonly key: CorrectionKey,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
