import { isSameOperator } from '#domain/reviews';
import { type CommandMetadata, Pipeline, type Position } from '#domain/event-sourcing';
import { type Minor, ok, refuse, type Result, Timer, within } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { withoutEvidence } from '../funds/without-evidence.js';
import { actingAs, knownToBeTwo, type OnePersonRefusal } from '../decide/known-deciders.js';
import { automaticApprover } from '../payout.events.js';
import { DecisionGuards } from '../decide/decision-guards.js';
import { type LimitRefusal } from '../request/payout-limits.js';
import {
  type PayoutBatchApproved,
  type PayoutBatchKey,
  type PayoutBatchRejected,
  payoutBatchStream,
} from './payout-batch.events.js';
import { type PayoutBatch, payoutBatchViewOf, type PayoutBatchView } from './payout-batch.js';
import { batchStep, isIn, type LoadedBatch } from './batch-step.js';
import { PayoutBatches } from './payout-batches.js';
import { type GoesOn } from './batches-at-work.js';
import { answerWithinMs } from './request-payout-batch.command.js';

/** A second holder's decision on a whole batch, with the fields that the request may repeat. */
export interface BatchDecision {
  readonly verdict: 'approve' | 'reject';
  readonly holder: string;
  readonly count?: number;
  readonly amountMinor?: Minor;
}

/** The decision, with facts from outside the batch's own stream. */
interface KnownBatchDecision extends BatchDecision {
  /** True if the rail was given a payout of it before, whatever the log says. */
  readonly wasOrdered: boolean;
}

/** The refusals of one payout's decision, for a batch. */
export type BatchDecisionRefusal =
  | 'unknown_batch'
  | 'same_holder'
  | 'unbound_holder'
  | 'role_lost'
  | 'count_differs'
  | 'amount_differs'
  | LimitRefusal
  | 'not_pending_approval';

export interface DecidedPayoutBatch {
  readonly view: PayoutBatchView;
  /** True if the holder had made the same decision before, so that this call recorded nothing. */
  readonly isRepeated?: true;
  readonly position?: Position;
}

/**
 * A second holder approves or rejects all payouts of a batch. The same decision by the same holder changes nothing.
 */
export class DecidePayoutBatch extends Command<Result<DecidedPayoutBatch, BatchDecisionRefusal>> {
  constructor(
    readonly key: PayoutBatchKey,
    readonly decision: BatchDecision,
    /** It includes the evidence of the decision's own request. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(DecidePayoutBatch)
export class DecidePayoutBatchHandler implements ICommandHandler<DecidePayoutBatch> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly batches: PayoutBatches,
    private readonly timer: Timer,
    private readonly guards: DecisionGuards,
  ) {}

  /** @throws DependencyUnavailable */
  execute(command: DecidePayoutBatch): Promise<Result<DecidedPayoutBatch, BatchDecisionRefusal>> {
    return this.batches.atWork.admitted(command.key.merchantId, (goesOn) =>
      this.decide(command, goesOn),
    );
  }

  private async decide(
    { key, decision, metadata }: DecidePayoutBatch,
    goesOn: GoesOn,
  ): Promise<Result<DecidedPayoutBatch, BatchDecisionRefusal>> {
    const step = batchStep(key, metadata);
    const loaded = await this.pipeline.load(step);
    const wasOrdered = await this.wasOrdered(decision, loaded.state);
    const decide = (state: PayoutBatch) => decidePayoutBatch({ ...decision, wasOrdered }, state);
    const first = decide(loaded.state);
    if (!first.ok) {
      if (wasOrdered && first.refusal === 'not_pending_approval' && isIn(loaded, 'requested'))
        await this.batches.keepGiven(loaded);
      return first;
    }
    const known = await this.knownToBeTwo(decision, loaded.state, metadata);
    if (!known.ok) return known;
    // Only a completely reserved batch can be approved, so the work that a dead process left of the request comes
    // first. It may take long enough for a decider to be suspended.
    const before: Awaited<ReturnType<PayoutBatches['settle']>> =
      decision.verdict === 'approve' && loaded.state.status === 'requested'
        ? await this.batches.settle(key, withoutEvidence(metadata))
        : loaded;
    if (before.isKept) return refuse('not_pending_approval');
    const stillKnown = await this.knownToBeTwo(decision, before.state, metadata);
    if (!stillKnown.ok) return stillKnown;
    const admitted = await this.admitted(decision, before);
    if (!admitted.ok) return admitted;
    const done = await this.pipeline.run(step, decide, before);
    if (!done.ok) return done;
    const { state } = done.value;
    const settling = this.batches.settle(key, withoutEvidence(metadata));
    goesOn(settling);
    // The decision is recorded. If its payouts take longer than the caller may wait, they follow on their own.
    const { position } = (await within(this.timer, settling, answerWithinMs)) ?? done.value;
    return ok({
      view: payoutBatchViewOf(state),
      ...(isBatchDecidedBy(decision, loaded.state) ? { isRepeated: true } : {}),
      ...(position === undefined ? {} : { position }),
    });
  }

  /** Checked for a rejection only. After an approval, the rail is queried about a payout that was ordered before. */
  private async wasOrdered({ verdict }: BatchDecision, state: PayoutBatch): Promise<boolean> {
    if (verdict !== 'reject' || state.status !== 'requested') return false;
    return (await this.batches.keptOf(state.request)).length > 0;
  }

  /** Counts an approval in the merchant's day before it is appended. */
  private async admitted(
    { verdict }: BatchDecision,
    { state }: LoadedBatch,
  ): Promise<Result<undefined, LimitRefusal>> {
    if (verdict !== 'approve' || state.status !== 'requested') return ok(undefined);
    return this.guards.admitBatch(payoutBatchStream(state.request), state.request);
  }

  private async knownToBeTwo(
    { verdict, holder }: BatchDecision,
    state: PayoutBatch,
    { actor }: CommandMetadata,
  ): Promise<Result<undefined, OnePersonRefusal>> {
    if (verdict !== 'approve' || state.status !== 'requested') return ok(undefined);
    const two = [state.asker, actingAs(holder, actor)] as const;
    return knownToBeTwo(this.pipeline, state.request, two);
  }
}

/** Decides for a second holder on the whole batch. The same decision by the same holder adds nothing. */
export function decidePayoutBatch(
  decision: KnownBatchDecision,
  state: PayoutBatch,
): Result<
  readonly (PayoutBatchApproved | PayoutBatchRejected)[],
  Exclude<BatchDecisionRefusal, 'unbound_holder' | 'role_lost' | LimitRefusal>
> {
  if (state.status === 'none') return refuse('unknown_batch');
  const { holder: requestedBy, count, amountMinor } = state.request;
  if ([requestedBy, automaticApprover].some((one) => isSameOperator(one, decision.holder)))
    return refuse('same_holder');
  if (decision.count !== undefined && decision.count !== count) return refuse('count_differs');
  if (decision.amountMinor !== undefined && decision.amountMinor !== amountMinor)
    return refuse('amount_differs');
  if (isBatchDecidedBy(decision, state)) return ok([]);
  if (state.status !== 'requested') return refuse('not_pending_approval');
  if (decision.verdict === 'reject' && decision.wasOrdered) return refuse('not_pending_approval');
  const { holder } = decision;
  const bound = { count, amountMinor };
  return ok([
    decision.verdict === 'approve'
      ? { type: 'PayoutBatchApproved', data: { holder, ...bound } }
      : { type: 'PayoutBatchRejected', data: { reason: 'rejected_by_holder', holder, ...bound } },
  ]);
}

/** True if the holder has made the same decision on the batch before. */
export function isBatchDecidedBy(
  { verdict, holder }: Pick<BatchDecision, 'verdict' | 'holder'>,
  state: PayoutBatch,
): boolean {
  const by = verdict === 'approve' ? approverOf(state) : rejecterOf(state);
  return by !== undefined && isSameOperator(by, holder);
}

function approverOf(state: PayoutBatch): string | undefined {
  return 'approvedBy' in state ? state.approvedBy : undefined;
}

/** A cancellation is no decision on the request (PAY-46). */
function rejecterOf(state: PayoutBatch): string | undefined {
  return state.status === 'rejected' && state.reason !== 'cancelled' ? state.rejectedBy : undefined;
}
