import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type CorrectionKey, correctionStream } from '../correction.events.js';
import { Reservations } from '#domain/ledger';
import { correctionDecider, demandOf } from '../correction.js';
import { decidePostCorrection } from '../confirm/confirm-correction.decide.js';

/** `not_reserved`: the log has no reservation for it, so no confirmation took effect. */
export type CompleteRefusal = 'unknown_correction' | 'not_reserved';

/** `released`: it has ended, and its reservation was released. */
export type Completion = 'completed' | 'released' | 'unchanged';

/**
 * Posts a confirmed correction whose process died after the funds were reserved. If the correction has ended, releases
 * the funds.
 */
export class CompleteCorrection extends Command<Result<Completion, CompleteRefusal>> {
  constructor(
    readonly key: CorrectionKey,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/**
 * Reads the confirming operator and the reason from the reservation in the log, because that operator's command made
 * it.
 */
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
    if (state.status === 'ended') return ok(await this.release(stream, demand, metadata));
    const reserved = demand && (await this.reservations.find(demand.wallet, stream, demand.since));
    if (!reserved) return refuse('not_reserved');
    const done = await this.pipeline.run(
      { ...step, metadata: { ...metadata, causationId: reserved.id } },
      (current) => decidePostCorrection(reserved.metadata.actor.id, current),
      before,
    );
    if (done.ok) return ok(done.value.appended ? 'completed' : 'unchanged');
    if (done.refusal === 'unknown_correction') return refuse(done.refusal);
    return ok(await this.release(stream, demand, metadata));
  }

  private async release(
    source: string,
    demand: ReturnType<typeof demandOf>,
    metadata: CommandMetadata,
  ): Promise<Completion> {
    const isReleased =
      demand !== undefined && (await this.reservations.release({ ...demand, source, metadata }));
    return isReleased ? 'released' : 'unchanged';
  }
}
