import {
  type CommandMetadata,
  type Done,
  Pipeline,
  type RecordedEvent,
  traceIn,
} from '#domain/event-sourcing';
import { DependencyUnavailable, type Instant, ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { payoutStep } from '../funds/payout-funds.js';
import { RefundClaims } from '../refund/refund-claims.js';
import { type PayoutEvent, type PayoutKey, payoutStream } from '../payout.events.js';
import { type Payout } from '../payout.js';
import { type PayoutStops, PayoutStopsInLog } from '../pause/payout-stops.js';
import { type PayoutAnswer } from '../ports.js';
import { PayoutSettlement } from '../review/payout-settlement.js';
import { PromptOrders } from './prompt-orders.js';
import { decideRecordAnswer, decideStartPayout } from './send-payout.decide.js';

/**
 * The outcome of a send.
 * - `sent`: the rail accepted it, refused it, or the result is unknown; it is never sent again.
 * - `held`: not sent, and the reason is recorded.
 * - `asked_about`: it was sent in a history that the log has lost, so the rail is queried about it.
 * - `too_late`: it was started but not sent, and has failed, because this process was suspended in between.
 * - `expired`: its approval no longer counts.
 * - `paused`: an operator paused it.
 * - `unchanged`: there was nothing to send, for example in a cancelled batch, or another sender was first.
 */
export type Sending =
  'sent' | 'held' | 'asked_about' | 'too_late' | 'expired' | 'paused' | 'unchanged';

/** Sends an approved payout to the rail, once in its life. */
export class SendPayout extends Command<Result<Sending, 'unknown_payout'>> {
  constructor(
    readonly key: PayoutKey,
    readonly sending: {
      /** Derived from the payout's stream by every sender alike, so that the rail itself refuses a second one. */
      readonly originatorConversationId: string;
      readonly at: Instant;
      /** True if the records know of an order that the log lacks: the log was restored to an earlier point. */
      readonly wasOrdered: boolean;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/**
 * Appends RailPayoutStarted at the revision that was read, so there is one sender. If it is not known whether that
 * append succeeded, nothing is sent: the rail will not know the payment, and its answer to a query shows that. Nothing
 * is sent long after the append either, because the rail was queried and people may have decided meanwhile (PAY-41).
 */
@CommandHandler(SendPayout)
export class SendPayoutHandler implements ICommandHandler<SendPayout> {
  private readonly refunds: RefundClaims;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly settlement: PayoutSettlement,
    private readonly orders: PromptOrders,
    private readonly stops: PayoutStopsInLog,
  ) {
    this.refunds = new RefundClaims(pipeline);
  }

  /** @throws DependencyUnavailable: nothing was sent */
  async execute({
    key,
    sending: { originatorConversationId, at, wasOrdered },
    metadata,
  }: SendPayout): Promise<Result<Sending, 'unknown_payout'>> {
    const step = payoutStep(payoutStream(key), metadata);
    // A time before the reads that decide on it: a process that was suspended since then must read again (PAY-47).
    const fromMs = this.orders.nowMs();
    const before = await this.pipeline.load(step);
    const { state } = before;
    if (state.status === 'none') return refuse('unknown_payout');
    if (state.status !== 'approved') return ok('unchanged');
    const { channel, mode, amountMinor } = state.request;
    const [to, floatMinor, stops, isOwed] = await Promise.all([
      this.orders.payeeOf(step.stream, state.request),
      this.orders.floatFor(state.request),
      this.stops.of(state.request),
      this.refunds.isOwed(state.request),
    ]);
    const ready = {
      originatorConversationId,
      floatMinor,
      hasPayee: to !== undefined,
      isOwed,
      wasOrdered,
      ...stops,
      approvedAt: approvedAtIn(before.events),
      maxAgeMs: this.stops.maxAgeMs,
      now: at,
    };
    const events = decideStartPayout(ready, state);
    if (this.orders.isTooLate(fromMs)) return ok('unchanged');
    const started = await this.pipeline.appendTo(step, before, events);
    if (!started.ok) return ok('unchanged');
    if (started.value.state.status === 'reserved') return ok('expired');
    if (started.value.state.status !== 'started') return ok(whyNotStarted(stops));
    if (to === undefined || wasOrdered) return ok('asked_about');
    const { isGiven, outcome } = await this.orders.give(fromMs, {
      channel,
      mode,
      stream: step.stream,
      originatorConversationId,
      ...to,
      amountMinor,
      ...traceIn(started.value.state),
    });
    if (outcome.kind !== 'unknown') await this.record(step, started.value, outcome);
    return ok(isGiven ? 'sent' : 'too_late');
  }

  /** Records the answer. If that fails now, the rail's result, or its answer to a query, brings it again. */
  private async record(
    step: ReturnType<typeof payoutStep>,
    before: Done<Payout>,
    answer: PayoutAnswer,
  ): Promise<void> {
    const decide = (state: Payout) => ok(decideRecordAnswer(answer, state));
    try {
      const proved = { ...step, metadata: { ...step.metadata, ...answer.proof } };
      const done = await this.pipeline.run<Payout, PayoutEvent, never>(proved, decide, before);
      if (!done.ok) return;
      await this.settlement.settle(step, done.value);
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
    }
  }
}

function whyNotStarted({ isPaused, isBatchCancelled }: PayoutStops): Sending {
  if (isBatchCancelled) return 'unchanged';
  return isPaused ? 'paused' : 'held';
}

/** @throws TypeError without an approval, since the caller has folded one from these events */
export function approvedAtIn(events: readonly RecordedEvent<PayoutEvent>[]): Instant {
  const approval = events.findLast(({ type }) => type === 'PayoutApproved');
  if (!approval) throw new TypeError('an approved payout without its approval');
  return approval.recordedAt;
}
