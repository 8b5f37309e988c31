import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { correctionDecider, demandOf, type PostedCorrection } from '../correction.js';
import { type CorrectionKey, correctionStream } from '../correction.events.js';
import { isSameOperator, ReceiptUse } from '#domain/collections';
import { Reservations } from '#domain/ledger';
import { decidePostCorrection } from './confirm-correction.decide.js';

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

/**
 * Reserves what the correction takes from a wallet, then posts it. After a crash in between, the same command or the
 * worker's CompleteCorrection finds the reservation and posts; nothing that is reserved is ever given up.
 */
@CommandHandler(ConfirmCorrection)
export class ConfirmCorrectionHandler implements ICommandHandler<ConfirmCorrection> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly receipts: ReceiptUse,
    private readonly reservations: Reservations,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    key,
    metadata,
  }: ConfirmCorrection): Promise<Result<PostedCorrection, ConfirmCorrectionRefusal>> {
    const stream = correctionStream(key);
    const step = { decider: correctionDecider, stream, metadata };
    const before = await this.pipeline.load(step);
    const { state } = before;
    if (state.status === 'none') return refuse('unknown_correction');
    if (isSameOperator(state.proposal.proposedBy, metadata.actor.id))
      return refuse('same_operator');
    if (state.status === 'posted') return ok(state);
    const demand = demandOf(state.proposal);
    // First, since nobody else gets a receipt that was claimed for a correction that is never posted.
    if (demand && !(await this.reservations.mayReserve({ ...demand, source: stream })))
      return refuse('insufficient_funds');
    const { receipt } = state.proposal;
    const { revision } = before;
    if (!(await this.receipts.take({ mode: key.mode, stream, receipt, revision })))
      return refuse('receipt_taken');
    const reserved = await this.reserve(stream, demand, metadata);
    if (!reserved.ok) return reserved;
    const done = await this.pipeline.run(
      { ...step, metadata: { ...metadata, ...reserved.value } },
      (current) => decidePostCorrection(metadata.actor.id, current),
      before,
    );
    return done.ok ? ok(posted(done.value.state)) : done;
  }

  /** @returns what the posting follows from: the reservation, where there is one */
  private async reserve(
    source: string,
    demand: ReturnType<typeof demandOf>,
    metadata: CommandMetadata,
  ): Promise<Result<Pick<CommandMetadata, 'causationId'>, 'insufficient_funds'>> {
    if (!demand) return ok({});
    const reserved = await this.reservations.reserve({ ...demand, source, metadata });
    return reserved.ok ? ok({ causationId: reserved.value.id }) : reserved;
  }
}

function posted(state: { readonly status: string }): PostedCorrection {
  if (state.status !== 'posted') throw new TypeError('what was confirmed is posted');
  return state as PostedCorrection;
}
