import { Command } from '@nestjs/cqrs';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { type MissingToRetire, type RetirementFacts } from './retire-v3.decide.js';

/** Position of V3Retired in the log, where this call appended it. */
export interface RetiredV3 {
  readonly position: bigint | undefined;
}

/** Ends V3 for good, where nothing is missing. When the notice was given, the handler reads. */
export class RetireV3 extends Command<Result<RetiredV3, readonly MissingToRetire[]>> {
  constructor(
    readonly facts: Omit<RetirementFacts, 'noticedAt'>,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
