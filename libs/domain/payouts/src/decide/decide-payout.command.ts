import {
  type CommandMetadata,
  type Done,
  type Folded,
  Pipeline,
  type Position,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { payoutStep } from '../funds/payout-funds.js';
import { withoutEvidence } from '../funds/without-evidence.js';
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
  /** True if the holder had made the same decision before, so that this call recorded nothing. */
  readonly isRepeated?: true;
  readonly position?: Position;
}

/** A second holder approves or rejects a payout. The same decision by the same holder changes nothing. */
export class DecidePayout extends Command<Result<DecidedPayout, DecisionRefusal>> {
  constructor(
    readonly key: PayoutKey,
    readonly decision: Decision,
    /** It includes the evidence of the decision's own request. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

type PayoutStep = ReturnType<typeof payoutStep>;

const maxAttempts = 8;

@CommandHandler(DecidePayout)
export class DecidePayoutHandler implements ICommandHandler<DecidePayout> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly settlement: PayoutSettlement,
    private readonly guards: DecisionGuards,
  ) {}

  /**
   * The checks read more than the payout's stream, so they count only for the state that they were made on. If the
   * stream moved, all of them are made again.
   * @throws DependencyUnavailable; WrongExpectedRevision after eight lost races
   */
  async execute({
    key,
    decision,
    metadata,
  }: DecidePayout): Promise<Result<DecidedPayout, DecisionRefusal>> {
    const step = payoutStep(payoutStream(key), metadata);
    const remembered = this.pipeline.recall(step);
    let isRead = remembered?.state.status !== 'reserved';
    let before: Folded<Payout> = isRead || !remembered ? await this.settled(step) : remembered;
    // Checked before the first append, because after a lost answer the call finds its own event.
    const isRepeated = wasDecided(decision, before.state);
    const repeated = isRepeated ? ({ isRepeated: true } as const) : {};
    // The bytes of a repeat are removed, so no event may name them (EVT-66).
    const settling = isRepeated ? payoutStep(step.stream, withoutEvidence(metadata)) : step;
    for (let attempt = 1; ; attempt += 1) {
      const done = await this.attempt(step, decision, before);
      if (done.ok) {
        const { state, position } = await this.settlement.settle(settling, done.value);
        const view = payoutViewOf(state);
        return ok({ view, ...repeated, ...(position === undefined ? {} : { position }) });
      }
      if (done.refusal !== 'moved' && isRead) return refuse(done.refusal);
      if (attempt === maxAttempts) throw new WrongExpectedRevision(step.stream, 'no_stream');
      before = await this.settled(step);
      isRead = true;
    }
  }

  /** @returns `moved`: the stream has changed since the checks, and nothing was written */
  private async attempt(
    step: PayoutStep,
    decision: Decision,
    before: Folded<Payout>,
  ): Promise<Result<Done<Payout>, DecisionRefusal | 'moved'>> {
    const { stream, metadata } = step;
    const known = await this.knownToBeTwo(decision, before.state, metadata);
    if (!known.ok) return known;
    // Checked for a rejection only. After an approval, the rail is queried about a payout that was ordered before.
    const wasOrdered = decision.verdict === 'reject' && (await this.guards.wereGiven([stream]));
    const decide = (state: Payout) => decidePayout({ ...decision, wasOrdered }, state);
    const admitted = await this.admitted(stream, before.state, decide);
    if (!admitted.ok) return admitted;
    const decided = decide(before.state);
    if (decided.ok) return this.pipeline.appendTo(step, before, decided.value);
    if (wasOrdered && decided.refusal === 'not_pending_approval')
      await this.settlement.keepsGiven(payoutStep(stream, withoutEvidence(metadata)), before);
    return decided;
  }

  /** Counts an approval in the merchant's day before it is appended. A refused decision is not counted. */
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

  /** Checked for an approval only, because a rejection pays no one. */
  private async knownToBeTwo(
    { verdict, holder }: Decision,
    state: Payout,
    { actor }: CommandMetadata,
  ): Promise<Result<undefined, OnePersonRefusal>> {
    if (verdict !== 'approve' || state.status !== 'reserved') return ok(undefined);
    const two = [state.asker, actingAs(holder, actor)] as const;
    return knownToBeTwo(this.pipeline, state.request, two);
  }

  /**
   * Finishes the work that a dead process left of the request first, under the service's name instead of the decider's.
   */
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
