import { type CommandMetadata, type Done, Pipeline, type Position } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { payoutStep } from '../funds/payout-funds.js';
import { type PayoutKey, payoutStream } from '../payout.events.js';
import { type Payout, payoutViewOf, type PayoutView } from '../payout.js';
import { type LimitRefusal } from '../request/payout-limits.js';
import { PayoutSettlement } from '../review/payout-settlement.js';
import {
  decidePayout,
  type Decision,
  type DecisionRefusal,
  isDecidedBy,
} from './decide-payout.decide.js';
import { DecisionGuards } from './decision-guards.js';
import { actingAs, knownToBeTwo, type OnePersonRefusal } from './known-deciders.js';

export interface DecidedPayout {
  readonly view: PayoutView;
  /** The holder had decided it so before: this call recorded nothing. */
  readonly isRepeated?: true;
  readonly position?: Position;
}

/** A second holder approves or rejects a payout; the same decision again by the same holder changes nothing. */
export class DecidePayout extends Command<Result<DecidedPayout, DecisionRefusal>> {
  constructor(
    readonly key: PayoutKey,
    readonly decision: Decision,
    /** Carries the evidence of the decision's own request. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

type PayoutStep = ReturnType<typeof payoutStep>;

@CommandHandler(DecidePayout)
export class DecidePayoutHandler implements ICommandHandler<DecidePayout> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly settlement: PayoutSettlement,
    private readonly guards: DecisionGuards,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    key,
    decision,
    metadata,
  }: DecidePayout): Promise<Result<DecidedPayout, DecisionRefusal>> {
    const step = payoutStep(payoutStream(key), metadata);
    const remembered = this.pipeline.recall(step);
    const before = remembered?.state.status === 'reserved' ? remembered : await this.settled(step);
    // By what stood before this call: where its own append is met again, its bytes are that event's evidence.
    const repeated = wasDecided(decision, before.state) ? ({ isRepeated: true } as const) : {};
    const known = await this.knownToBeTwo(decision, before.state, metadata);
    if (!known.ok) return known;
    // An approval of what was ordered has it asked about.
    const wasOrdered =
      decision.verdict === 'reject' && (await this.guards.wereGiven([step.stream]));
    const decide = (state: Payout) => decidePayout({ ...decision, wasOrdered }, state);
    const admitted = await this.admitted(step.stream, before.state, decide);
    if (!admitted.ok) return admitted;
    const done = await this.pipeline.run(step, decide, before);
    if (!done.ok) {
      if (wasOrdered && done.refusal === 'not_pending_approval')
        await this.settlement.keepsGiven(
          payoutStep(step.stream, withoutEvidence(metadata)),
          before,
        );
      return done;
    }
    const { state, position } = await this.settlement.settle(step, done.value);
    const view = payoutViewOf(state);
    return ok({ view, ...repeated, ...(position === undefined ? {} : { position }) });
  }

  /** Counts an approval in the merchant's day before it is appended; what the decision refuses is not counted. */
  private async admitted(
    stream: string,
    state: Payout,
    decide: (state: Payout) => ReturnType<typeof decidePayout>,
  ): Promise<Result<undefined, LimitRefusal>> {
    const decided = decide(state);
    if (state.status !== 'reserved' || !decided.ok) return ok(undefined);
    return decided.value.some(({ type }) => type === 'PayoutApproved')
      ? this.guards.admit(stream, state.request)
      : ok(undefined);
  }

  /** Checked for an approval only: a rejection pays nobody. */
  private async knownToBeTwo(
    { verdict, holder }: Decision,
    state: Payout,
    { actor }: CommandMetadata,
  ): Promise<Result<undefined, OnePersonRefusal>> {
    if (verdict !== 'approve' || state.status !== 'reserved') return ok(undefined);
    const two = [state.asker, actingAs(holder, actor)] as const;
    return knownToBeTwo(this.pipeline, state.request, two);
  }

  /** What a process that died has left of the request is finished first, under the worker's name, not the decider's. */
  private async settled({ stream, metadata, ...step }: PayoutStep): Promise<Done<Payout>> {
    const loaded = await this.pipeline.load({ ...step, stream });
    return loaded.state.status === 'requested'
      ? this.settlement.settle(payoutStep(stream, withoutEvidence(metadata)), loaded)
      : loaded;
  }
}

function wasDecided(decision: Decision, state: Payout): boolean {
  return state.status !== 'none' && isDecidedBy(decision, state);
}

/** @returns who finishes what another's request has begun */
function withoutEvidence({ correlationId }: CommandMetadata): CommandMetadata {
  return { correlationId, actor: { kind: 'system', id: 'payouts' } };
}
