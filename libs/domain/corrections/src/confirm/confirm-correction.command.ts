import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type PostedCorrection } from '../correction.js';
import { type CorrectionKey } from '../correction.events.js';

/**
 * `insufficient_funds`: the wallet has less than the correction takes; nothing was reserved, and it may be confirmed
 * when the wallet has it.
 */
export type ConfirmCorrectionRefusal =
  'unknown_correction' | 'same_operator' | 'receipt_taken' | 'insufficient_funds';

/** A second operator agrees, and the correction is posted; safe to repeat until it says that it is done. */
export class ConfirmCorrection extends Command<Result<PostedCorrection, ConfirmCorrectionRefusal>> {
  constructor(
    readonly key: CorrectionKey,
    /** The operator is the actor. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
