import { type CommandMetadata, type Folded, Pipeline } from '#domain/event-sourcing';
import { type Instant, ok, refuse, type Result } from '#domain/kernel';
import { Reservations } from '#domain/ledger';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Correction, correctionDecider, demandOf } from '../correction.js';
import { type CorrectionEnd, type CorrectionKey, correctionStream } from '../correction.events.js';
import { decideEndCorrection, type EndRefusal } from './end-correction.decide.js';

/** `confirmed`: funds are reserved for it, so another operator has agreed and it is being posted. */
export type EndCorrectionRefusal = EndRefusal | 'confirmed';

export type CorrectionEnding = 'ended' | 'unchanged';

/** Ends a correction that was not confirmed: the worker when its time is over, or the proposer. Safe to repeat. */
export class EndCorrection extends Command<Result<CorrectionEnding, EndCorrectionRefusal>> {
  constructor(
    readonly key: CorrectionKey,
    readonly outcome: CorrectionEnd,
    readonly now: Instant,
    /** Its actor is the one who ends it. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/**
 * Appends the end at the revision that was read, so the stream never has both an end and a posting. The receipt can be
 * claimed again from there (COR-9). A confirmation that reserved meanwhile finds the end and releases its reservation;
 * if it dies before, the worker's CompleteCorrection releases it.
 */
@CommandHandler(EndCorrection)
export class EndCorrectionHandler implements ICommandHandler<EndCorrection> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly reservations: Reservations,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    key,
    outcome,
    now,
    metadata,
  }: EndCorrection): Promise<Result<CorrectionEnding, EndCorrectionRefusal>> {
    const stream = correctionStream(key);
    const step = { decider: correctionDecider, stream, metadata };
    const before = await this.pipeline.load(step);
    const { recordedAt: proposedAt = now } = before.events[0] ?? {};
    const ending = { outcome, by: metadata.actor.id, proposedAt, now };
    if (await this.isConfirmed(stream, before)) return refuse('confirmed');
    const done = await this.pipeline.run(
      step,
      (state) => decideEndCorrection(ending, state),
      before,
    );
    if (!done.ok) return done;
    return ok(done.value.appended ? 'ended' : 'unchanged');
  }

  private async isConfirmed(source: string, { state }: Folded<Correction>): Promise<boolean> {
    const demand = state.status === 'proposed' ? demandOf(state.proposal) : undefined;
    if (!demand) return false;
    return (await this.reservations.find(demand.wallet, source, demand.since)) !== undefined;
  }
}
