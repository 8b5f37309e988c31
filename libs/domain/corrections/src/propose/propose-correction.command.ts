import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type RecordedCorrection } from '../correction.js';
import { type CorrectionKey, type CorrectionTerms } from '../correction.events.js';
import { type ProposeRefusal } from './propose-correction.decide.js';

/**
 * An operator proposes legs that put the ledger right. Nothing moves before another confirms. The same id with the
 * same terms is the same proposal, however often it is sent.
 */
export class ProposeCorrection extends Command<Result<RecordedCorrection, ProposeRefusal>> {
  constructor(
    readonly key: CorrectionKey,
    readonly terms: CorrectionTerms,
    /** The operator is the actor. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
