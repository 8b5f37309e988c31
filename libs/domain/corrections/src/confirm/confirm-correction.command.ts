import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Instant, ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, type Loaded, Pipeline } from '#domain/event-sourcing';
import {
  type Correction,
  correctionDecider,
  demandOf,
  endsAt,
  type PostedCorrection,
} from '../correction.js';
import {
  type CorrectionEnd,
  type CorrectionEvent,
  type CorrectionKey,
  correctionStream,
} from '../correction.events.js';
import { decideEndCorrection } from '../end/end-correction.decide.js';
import { isSameOperator, ReceiptUse } from '#domain/reviews';
import { Reservations } from '#domain/ledger';
import { isStillPermitted } from '#domain/people';
import { decidePostCorrection } from './confirm-correction.decide.js';

/**
 * `insufficient_funds`: the wallet has less than the correction takes. Nothing was reserved, and it may be confirmed
 * when the wallet has enough. `proposer_lost_role`: the proposer may no longer decide (PEO-16). `expired`, `withdrawn`:
 * it has ended and must be proposed again (COR-9).
 */
export type ConfirmCorrectionRefusal =
  | 'unknown_correction'
  | 'same_operator'
  | 'proposer_lost_role'
  | 'receipt_taken'
  | 'insufficient_funds'
  | CorrectionEnd;

/** A second operator agrees, and the correction is posted. Safe to repeat until it succeeds. */
export class ConfirmCorrection extends Command<Result<PostedCorrection, ConfirmCorrectionRefusal>> {
  constructor(
    readonly key: CorrectionKey,
    /** Its actor is the operator. */
    readonly metadata: CommandMetadata,
    readonly now: Instant,
  ) {
    super();
  }
}

/**
 * Reserves the correction's debit in the wallet, then posts it. After a crash in between, the same command or the
 * worker's CompleteCorrection finds the reservation and posts. The reservation is released only if the correction ended
 * first. If the funds were reserved in time, it is posted however late it is.
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
    now,
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
    if (state.status === 'ended') {
      await this.release(stream, demand, metadata);
      return refuse(state.outcome);
    }
    const { recordedAt: proposedAt = now } = before.events[0] ?? {};
    const { proposedBy } = state.proposal;
    const two = { mode: key.mode, proposedBy, confirmedBy: metadata.actor.id, proposedAt };
    const actions = ['corrections.decide', 'corrections.decide'] as const;
    if (!(await isStillPermitted(this.pipeline, actions, two))) return refuse('proposer_lost_role');
    if (now >= endsAt(proposedAt) && !(await this.isReserved(stream, demand)))
      return this.expire(step, { proposedAt, now }, before);
    // Checked before the receipt is claimed: a claim for a correction that is never posted would block the receipt for
    // others.
    if (demand && !(await this.reservations.mayReserve({ ...demand, source: stream })))
      return refuse('insufficient_funds');
    const { receipt } = state.proposal;
    const use = { mode: key.mode, stream, receipt, revision: before.revision };
    if (!(await this.receipts.take(use))) return refuse('receipt_taken');
    const reserved = await this.reserve(stream, demand, metadata);
    if (!reserved.ok) return reserved;
    const done = await this.pipeline.run(
      { ...step, metadata: { ...metadata, ...reserved.value } },
      (current) => decidePostCorrection(metadata.actor.id, current),
      before,
    );
    if (!done.ok) await this.release(stream, demand, metadata);
    else if (done.value.appended) await this.receipts.noteAppended(use);
    return done.ok ? ok(posted(done.value.state)) : done;
  }

  /** Ends a correction that was not confirmed in time. The first process to notice records it. */
  private async expire(
    step: Parameters<Pipeline['run']>[0] & { readonly decider: typeof correctionDecider },
    at: { readonly proposedAt: Instant; readonly now: Instant },
    before: Loaded<Correction, CorrectionEvent>,
  ): Promise<Result<PostedCorrection, ConfirmCorrectionRefusal>> {
    const ending = { ...at, outcome: 'expired', by: step.metadata.actor.id } as const;
    const done = await this.pipeline.run(
      step,
      (state) => decideEndCorrection(ending, state),
      before,
    );
    if (done.ok) return refuse('expired');
    if (done.refusal !== 'already_posted') return refuse('unknown_correction');
    const { state } = await this.pipeline.load(step);
    return ok(posted(state));
  }

  private async isReserved(source: string, demand: ReturnType<typeof demandOf>): Promise<boolean> {
    if (!demand) return false;
    return (await this.reservations.find(demand.wallet, source, demand.since)) !== undefined;
  }

  /** Called only after the end is recorded: a reservation of an open correction is never released. */
  private async release(
    source: string,
    demand: ReturnType<typeof demandOf>,
    metadata: CommandMetadata,
  ): Promise<void> {
    if (demand) await this.reservations.release({ ...demand, source, metadata });
  }

  /** @returns the cause of the posting: the reservation, if there is one */
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
  if (state.status !== 'posted') throw new TypeError('a confirmed correction is posted');
  return state as PostedCorrection;
}
