import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type CorrectionKey, correctionStream } from '../correction.events.js';
import { Reservations } from '#domain/ledger';
import { correctionDecider, demandOf } from '../correction.js';
import { decidePostCorrection } from '../confirm/confirm-correction.decide.js';

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

/** Who confirmed, and why, is read from the reservation in the log: it was made by that operator's command. */
@CommandHandler(CompleteCorrection)
export class CompleteCorrectionHandler implements ICommandHandler<CompleteCorrection> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly reservations: Reservations,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    key,
    metadata,
  }: CompleteCorrection): Promise<Result<Completion, CompleteRefusal>> {
    const stream = correctionStream(key);
    const step = { decider: correctionDecider, stream, metadata };
    const before = await this.pipeline.load(step);
    const { state } = before;
    if (state.status === 'none') return refuse('unknown_correction');
    if (state.status === 'posted') return ok('unchanged');
    const demand = demandOf(state.proposal);
    const reserved = demand && (await this.reservations.find(demand.wallet, stream, demand.since));
    if (!reserved) return refuse('not_reserved');
    const done = await this.pipeline.run(
      { ...step, metadata: { ...metadata, causationId: reserved.id } },
      (current) => decidePostCorrection(reserved.metadata.actor.id, current),
      before,
    );
    if (!done.ok) return done;
    return ok(done.value.appended ? 'completed' : 'unchanged');
  }
}
